import type { Schemas } from '../../api/client.ts'
import { useApiKeys } from '../developers/use-api-keys.ts'
import { useWebhooks } from '../developers/use-webhooks.ts'
import { memberName } from '../members/member-rules.ts'
import { useGroups } from '../members/use-groups.ts'
import { useMembers } from '../members/use-members.ts'
import { useSources } from '../sources/use-sources.ts'
import { type Target, targetOf } from './target-words.ts'

/** Names the targets of events from the workspace's current data. */
export function useTargets(): (event: Schemas['AuditEvent']) => Target {
  const known = {
    keys: names(useApiKeys().data, ({ id, name }) => [id, name]),
    sources: names(useSources().data, ({ id, displayName }) => [id, displayName]),
    people: names(useMembers().data, (member) => [member.id, memberName(member)]),
    groups: names(useGroups().data?.groups, ({ id, name }) => [id, name ?? id]),
    webhooks: names(useWebhooks().data, ({ id, url }) => [id, URL.parse(url)?.host ?? url]),
  }
  return (event) => targetOf(event, known)
}

function names<One>(list: readonly One[] | undefined, entry: (one: One) => [string, string]) {
  return new Map((list ?? []).map(entry))
}
