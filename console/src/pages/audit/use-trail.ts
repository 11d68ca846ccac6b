import { type Schemas, unwrap } from '../../api/client.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { usePages } from '../../ui/use-pages.ts'
import type { AuditFilters } from './audit-filters.ts'
import { isAction } from './audit-words.ts'
import type { AuditGroup } from './merge-groups.ts'

const AT_ONCE = 50

/** The events in groups, newest first. */
export function useTrail(filters: AuditFilters) {
  const { api, organization } = useWorkspace()
  return usePages<AuditGroup>({
    queryKey: [organization.id, 'audit-events', 'groups', filters],
    async read(cursor, signal) {
      const query = { limit: AT_ONCE, ...filters, ...(cursor === undefined ? {} : { cursor }) }
      const page = await unwrap(api.GET('/v1/console/audit-events/groups', { params: { query }, signal }))
      return { rows: page.groups, nextCursor: page.nextCursor }
    },
  })
}

/** The events of a group: same action and actor, between its first and last event. */
export function useGroupEvents(
  { event, oldestAt }: Pick<AuditGroup, 'event' | 'oldestAt'>,
  { target }: AuditFilters,
) {
  const { api, organization } = useWorkspace()
  const actor = event.actorUserId ?? event.actorApiKeyId
  const filters: AuditFilters = {
    ...(isAction(event.action) ? { action: event.action } : {}),
    ...(actor === null ? {} : { actor }),
    ...(target === undefined ? {} : { target }),
    from: oldestAt,
    // `to` is exclusive.
    to: new Date(Date.parse(event.createdAt) + 1).toISOString(),
  }
  return usePages<Schemas['AuditEvent']>({
    queryKey: [organization.id, 'audit-events', 'of-group', filters],
    async read(cursor, signal) {
      const query = { limit: AT_ONCE, ...filters, ...(cursor === undefined ? {} : { cursor }) }
      const page = await unwrap(api.GET('/v1/console/audit-events', { params: { query }, signal }))
      return { rows: page.auditEvents, nextCursor: page.nextCursor ?? null }
    },
  })
}
