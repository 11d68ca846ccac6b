import type { PatchStep } from './patch.ts'
import { type Email, EMAILS_MAX, readUser, type UserAttributes } from './user-shape.ts'

/** A person's attributes after a PATCH. Unknown attributes are ignored. @throws AppError `validation_failed` */
export function patchUser(before: UserAttributes, steps: readonly PatchStep[]): UserAttributes {
  let draft: Record<string, unknown> = { ...before }
  for (const step of steps) {
    draft = applyStep(draft, step)
    // Refused below, before they make the remaining steps slow.
    if (listOf(draft['emails']).length > EMAILS_MAX) break
  }
  return readUser(draft)
}

const SIMPLE: Readonly<Record<string, string>> = {
  username: 'userName',
  externalid: 'externalId',
  displayname: 'displayName',
  active: 'active',
}
const NAME_PARTS: Readonly<Record<string, string>> = {
  formatted: 'formatted',
  givenname: 'givenName',
  familyname: 'familyName',
}

function applyStep(draft: Record<string, unknown>, step: PatchStep): Record<string, unknown> {
  const { attribute, op, value } = step
  const simple = SIMPLE[attribute]
  if (simple !== undefined) return { ...draft, [simple]: op === 'remove' ? undefined : value }
  if (attribute === 'name') return { ...draft, name: patchName(objectOf(draft['name']), step) }
  if (attribute === 'emails') return { ...draft, emails: patchEmails(listOf(draft['emails']), step) }
  return draft
}

function patchName(name: Record<string, unknown>, { op, part, value }: PatchStep): Record<string, unknown> {
  if (part === null) return op === 'remove' ? {} : { ...name, ...objectOf(value) }
  const known = NAME_PARTS[part]
  return known === undefined ? name : { ...name, [known]: op === 'remove' ? undefined : value }
}

function patchEmails(emails: readonly unknown[], { op, part, where, value }: PatchStep): unknown[] {
  if (where === null) {
    if (op === 'remove') return []
    const given = Array.isArray(value) ? value : [value]
    return op === 'replace' ? given : withOnePrimary(emails, given)
  }
  const isMeant = (email: unknown): boolean =>
    String(objectOf(email)[where.attribute] ?? '').toLowerCase() === where.value.toLowerCase()
  const rest = emails.filter((email) => !isMeant(email))
  if (op === 'remove' && part === null) return rest
  const meant = emails.filter(isMeant)
  // When none matches, the PATCH creates the one that it describes.
  const targets = meant.length > 0 ? meant : [{ [where.attribute]: where.value }]
  const changed = targets.map((email) => changedEmail(objectOf(email), op, part, value))
  return withOnePrimary(
    rest,
    changed.filter((email) => email['value'] !== undefined),
  )
}

/** A primary email of the PATCH replaces the former one as such (RFC 7644, section 3.5.2). */
function withOnePrimary(kept: readonly unknown[], given: readonly unknown[]): unknown[] {
  if (!given.some(isPrimary)) return [...kept, ...given]
  return [
    ...kept.map((email) => (isPrimary(email) ? { ...objectOf(email), primary: false } : email)),
    ...given,
  ]
}

const isPrimary = (email: unknown): boolean => /^true$/i.test(String(objectOf(email)['primary']))

function changedEmail(
  email: Record<string, unknown>,
  op: PatchStep['op'],
  part: string | null,
  value: unknown,
): Record<string, unknown> {
  if (part === null) return { ...email, ...objectOf(value) }
  const known = EMAIL_PARTS.find((one) => one === part)
  return known === undefined ? email : { ...email, [known]: op === 'remove' ? undefined : value }
}

const EMAIL_PARTS = ['value', 'type', 'primary'] as const satisfies readonly (keyof Email)[]

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
