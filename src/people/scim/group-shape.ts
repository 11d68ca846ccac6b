import { z } from 'zod'
import { givenId } from '../../kernel/schemas.ts'
import { isStorable } from '../../kernel/text.ts'
import { GROUP_MEMBERS_MAX } from '../groups.ts'
import { readAttributes } from './read-attributes.ts'

export const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group'

const shortText = z.string().trim().max(500).refine(isStorable)

const GroupAttributes = z.object({
  displayName: shortText.min(1),
  externalId: shortText.nullish().transform((id) => id || undefined),
  members: z
    .array(z.object({ value: givenId }).transform(({ value }) => value))
    .max(GROUP_MEMBERS_MAX)
    .nullish()
    .transform((members) => members ?? []),
})
export type GroupAttributes = z.output<typeof GroupAttributes>

const ExternalId = GroupAttributes.pick({ externalId: true })

/** Null: none. @throws AppError `validation_failed` with `invalidValue` */
export function readExternalId(externalId: unknown): string | null {
  return readAttributes(ExternalId, { externalId }).externalId ?? null
}

/** @throws AppError `validation_failed` with `invalidValue` */
export function readScimGroup(body: unknown): GroupAttributes {
  return readAttributes(GroupAttributes, body)
}
