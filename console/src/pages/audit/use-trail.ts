import { type Schemas, unwrap } from '../../api/client.ts'
import { useReadPages } from '../../data/use-api.ts'
import type { AuditFilters } from './audit-filters.ts'
import { isAction } from './audit-words.ts'
import type { AuditGroup } from './merge-groups.ts'

const AT_ONCE = 50

/** The events in groups, newest first. */
export function useTrail(filters: AuditFilters) {
  return useReadPages<AuditGroup>(['audit-events', 'groups', filters], async (api, given, signal) => {
    const query = { limit: AT_ONCE, ...filters, ...given }
    const page = await unwrap(api.GET('/v1/console/audit-events/groups', { params: { query }, signal }))
    return { rows: page.groups, nextCursor: page.nextCursor }
  })
}

/** The events of a group: same action and actor, between its first and last event. */
export function useGroupEvents(
  { event, oldestAt }: Pick<AuditGroup, 'event' | 'oldestAt'>,
  { target }: AuditFilters,
) {
  const actor = event.actorUserId ?? event.actorApiKeyId
  const filters: AuditFilters = {
    ...(isAction(event.action) ? { action: event.action } : {}),
    ...(actor === null ? {} : { actor }),
    ...(target === undefined ? {} : { target }),
    from: oldestAt,
    // `to` is exclusive.
    to: new Date(Date.parse(event.createdAt) + 1).toISOString(),
  }
  return useReadPages<Schemas['AuditEvent']>(
    ['audit-events', 'of-group', filters],
    async (api, given, signal) => {
      const query = { limit: AT_ONCE, ...filters, ...given }
      const page = await unwrap(api.GET('/v1/console/audit-events', { params: { query }, signal }))
      return { rows: page.auditEvents, nextCursor: page.nextCursor ?? null }
    },
  )
}
