import { type Schemas, unwrap } from '../../api/client.ts'
import { useRead } from '../../data/use-api.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { useApiKeys } from '../developers/use-api-keys.ts'
import { memberName } from '../members/member-rules.ts'
import { useMembers } from '../members/use-members.ts'

type Actor = Pick<Schemas['AuditEvent'], 'actorUserId' | 'actorApiKeyId'>

interface Actors {
  /** Whether the requests for the names have finished, even with an error. */
  isReady: boolean
  /** The current members, and the keys, for a select. */
  choices: { group: string; items: { value: string; label: string }[] }[]
  nameOf: (event: Actor) => string
}

/** The most recently revoked keys. */
const REVOKED_MAX = 200

/** Names of revoked keys by ID. Only the audit trail stores them. */
function useRevokedKeys() {
  return useRead(['audit-events', 'revoked-keys'], async (api, signal) => {
    const query = { action: 'api_key.revoke' as const, limit: REVOKED_MAX }
    const { auditEvents } = await unwrap(api.GET('/v1/console/audit-events', { params: { query }, signal }))
    return auditEvents.map(({ targetId, metadata: { name, prefix } }) => ({
      value: targetId,
      name: String(name),
      label: `${String(name)} (${String(prefix)}…)`,
    }))
  })
}

/** The members and keys in the trail. Former members have no name. */
export function useActors(): Actors {
  const { user } = useWorkspace()
  const apiKeys = useApiKeys()
  const keys = apiKeys.data ?? []
  const revokedKeys = useRevokedKeys()
  const revoked = revokedKeys.data ?? []
  const members = useMembers()
  const people = members.data ?? []
  const nameOfPerson = (member: Schemas['Member']): string =>
    member.id === user.id ? `${memberName(member)} (you)` : memberName(member)
  return {
    isReady: !apiKeys.isPending && !revokedKeys.isPending && !members.isPending,
    choices: [
      { group: 'People', items: people.map((one) => ({ value: one.id, label: nameOfPerson(one) })) },
      {
        group: 'Keys',
        items: keys.map(({ id, name, prefix }) => ({ value: id, label: `${name} (${prefix}…)` })),
      },
      { group: 'Revoked keys', items: revoked.map(({ value, label }) => ({ value, label })) },
    ],
    nameOf({ actorUserId, actorApiKeyId }) {
      const person = people.find(({ id }) => id === actorUserId)
      if (person) return nameOfPerson(person)
      if (actorUserId !== null) return 'A former member'
      const key = keys.find(({ id }) => id === actorApiKeyId)
      if (key) return key.name
      const former = revoked.find(({ value }) => value === actorApiKeyId)
      return former === undefined ? 'A revoked key' : `${former.name} (revoked)`
    },
  }
}
