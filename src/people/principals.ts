/** Every person, known or not, on whose behalf a caller reads. */
export const EVERYONE = 'everyone'
/** People of this organization: console members with a verified address, and people of its directory. */
export const MEMBER = 'member'

export function foldAddress(email: string): string {
  return email.trim().toLowerCase()
}

export const userPrincipal = (email: string): string => `user:${foldAddress(email)}`

export const domainPrincipal = (domain: string): string => `domain:${domain.trim().toLowerCase()}`

/** A group id that is an address ignores case; other ids are case-sensitive. */
export function canonicalGroupId(id: string): string {
  return id.includes('@') ? id.toLowerCase() : id
}

/** A group of the organization. */
export const groupPrincipal = (id: string): string => `group:${canonicalGroupId(id)}`

/** A group of a source, such as the members of a private channel. */
export const sourceGroupPrincipal = (sourceId: string, id: string): string => `group:${sourceId}/${id}`

/** The people of a source's provider workspace. */
export const sourcePrincipal = (sourceId: string): string => `source:${sourceId}`

export function domainOf(email: string): string | null {
  const at = email.lastIndexOf('@')
  return at < 1 || at === email.length - 1 ? null : email.slice(at + 1)
}

/** A person of the directory. It appears only in memberships, never in policies. */
export const personPrincipal = (id: string): string => `person:${id}`

export const isPersonPrincipal = (principal: string): boolean => principal.startsWith('person:')
