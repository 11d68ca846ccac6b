import type { Grant } from './drive-state.ts'
import type { MicrosoftPeople } from './people.ts'

/** Whether a permission concerns a person. People who do not own an item see only these. */
export function applies({ user, people, link, group, siteGroup, isForAll }: Grant, account: string): boolean {
  const isOpen = link === 'anonymous' || link === 'organization'
  const isMember = group !== undefined || siteGroup !== undefined || isForAll === true
  return user === account || people?.includes(account) === true || isOpen || isMember
}

const EVERYONE = { displayName: 'Everyone except external users' }
const FOR_ALL = {
  user: EVERYONE,
  siteUser: { ...EVERYONE, id: '7', loginName: 'c:0-.f|rolemanager|spo-grid-all-users/0f0e0d0c-0b0a' },
}

/** https://learn.microsoft.com/graph/api/resources/permission */
export function showGrant(everybody: MicrosoftPeople, grant: Grant, index: number): Record<string, unknown> {
  const { roles = ['read'], user, group, siteGroup, isForAll, link, people = [], invited } = grant
  const identities = (name: string) => {
    const { id, displayName, mail } = everybody.get(name)
    // Graph may omit the address; the profile has it.
    return { user: { id, displayName, ...(index % 2 === 0 && { email: mail }) } }
  }
  const granted =
    user === undefined
      ? {
          ...(group && { group }),
          ...(siteGroup !== undefined && { siteGroup: { id: '5', displayName: siteGroup } }),
          ...(isForAll && FOR_ALL),
        }
      : identities(user)
  return {
    id: `permission-${index}`,
    roles,
    ...(Object.keys(granted).length > 0 && { grantedToV2: granted }),
    ...(link !== undefined && {
      link: {
        scope: link,
        type: grant.linkType ?? 'view',
        webUrl: 'https://acme.sharepoint.example/:w:/s/x',
      },
      ...(link === 'users' && { grantedToIdentitiesV2: people.map(identities) }),
    }),
    ...(invited !== undefined && { invitation: { email: invited, signInRequired: true } }),
    expirationDateTime: grant.expirationDateTime ?? '0001-01-01T00:00:00Z',
    ...(grant.hasPassword !== undefined && { hasPassword: grant.hasPassword }),
  }
}
