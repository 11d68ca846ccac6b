import { z } from 'zod'
import { isStorable } from '../../kernel/text.ts'
import { domainOf, foldAddress } from '../principals.ts'
import { readAttributes } from './read-attributes.ts'

export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User'

const TEXT_MAX = 500
export const EMAILS_MAX = 50

const shortText = z.string().trim().max(TEXT_MAX).refine(isStorable)
const optionalText = shortText.nullish().transform((text) => text || undefined)
/** Some identity providers send booleans as text. */
const flag = z.union([z.boolean(), z.stringbool({ truthy: ['true'], falsy: ['false'], case: 'insensitive' })])

const Email = z.object({ value: shortText, type: optionalText, primary: flag.nullish() })
export type Email = z.output<typeof Email>

const Name = z.object({ formatted: optionalText, givenName: optionalText, familyName: optionalText })

/** The attributes of a person that are stored and returned; others are ignored. */
export const UserAttributes = z.object({
  userName: shortText.min(1),
  externalId: optionalText,
  displayName: optionalText,
  name: Name.nullish().transform((name) => name ?? undefined),
  emails: z
    .array(Email)
    .max(EMAILS_MAX)
    .nullish()
    .transform((emails) => emails ?? []),
  active: flag.nullish().transform((active) => active ?? true),
})
export type UserAttributes = z.output<typeof UserAttributes>

/** @throws AppError `validation_failed` with `invalidValue` */
export function readUser(body: unknown): UserAttributes {
  return readAttributes(UserAttributes, body)
}

export function addressesOf({ userName, emails }: UserAttributes): { login: string; email: string | null } {
  const main =
    emails.find(({ primary }) => primary === true) ??
    emails.find(({ type }) => type?.toLowerCase() === 'work') ??
    emails[0]
  const email = main === undefined ? null : foldAddress(main.value)
  return { login: foldAddress(userName), email: email !== null && domainOf(email) !== null ? email : null }
}
