import type { Schemas } from '../../api/client.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { useApiKeys } from '../developers/use-api-keys.ts'
import { memberName } from '../members/member-rules.ts'
import { useMembers } from '../members/use-members.ts'

type Actor = Pick<Schemas['AuditEvent'], 'actorUserId' | 'actorApiKeyId'>

interface Actors {
  /** Whether the requests for the names have finished, even with an error. */
  isReady: boolean
  /** The current members and keys, for a select. */
  choices: { group: string; items: { value: string; label: string }[] }[]
  nameOf: (event: Actor) => string
}

/** The members and keys in the trail. Former members and revoked keys have no name. */
export function useActors(): Actors {
  const { user } = useWorkspace()
  const apiKeys = useApiKeys()
  const keys = apiKeys.data ?? []
  const members = useMembers()
  const people = members.data ?? []
  const nameOfPerson = (member: Schemas['Member']): string =>
    member.id === user.id ? `${memberName(member)} (you)` : memberName(member)
  return {
    isReady: !apiKeys.isPending && !members.isPending,
    choices: [
      { group: 'People', items: people.map((one) => ({ value: one.id, label: nameOfPerson(one) })) },
      {
        group: 'Keys',
        items: keys.map(({ id, name, prefix }) => ({ value: id, label: `${name} (${prefix}…)` })),
      },
    ],
    nameOf({ actorUserId, actorApiKeyId }) {
      const person = people.find(({ id }) => id === actorUserId)
      if (person) return nameOfPerson(person)
      if (actorUserId !== null) return 'A former member'
      return keys.find(({ id }) => id === actorApiKeyId)?.name ?? 'A revoked key'
    },
  }
}
