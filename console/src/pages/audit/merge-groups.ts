import type { Schemas } from '../../api/client.ts'

export type AuditGroup = Schemas['AuditEventGroup']

/** Joins a page's open last group with the first group of the next page if that continues it. */
export function mergeGroups(groups: readonly AuditGroup[]): AuditGroup[] {
  const merged: AuditGroup[] = []
  for (const group of groups) {
    const before = merged.at(-1)
    if (before?.isOpen && continues(before, group))
      merged[merged.length - 1] = {
        event: before.event,
        count: before.count + group.count,
        oldestAt: group.oldestAt,
        isOpen: group.isOpen,
      }
    else merged.push(group)
  }
  return merged
}

/** The longest gap between two events of a group, as in the service. */
const GAP_MS = 10 * 60_000

function continues(later: AuditGroup, earlier: AuditGroup): boolean {
  return (
    later.event.action === earlier.event.action &&
    later.event.actorUserId === earlier.event.actorUserId &&
    later.event.actorApiKeyId === earlier.event.actorApiKeyId &&
    Date.parse(later.oldestAt) - Date.parse(earlier.event.createdAt) <= GAP_MS
  )
}
