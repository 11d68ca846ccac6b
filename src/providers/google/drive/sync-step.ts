import type { ChangePage, JsonValue } from '../../adapter.ts'
import { emptyStep, type RetryList, retryLater, type Step } from '../../run-state.ts'

/** One step of a run. When it is yielded, the state has already advanced. */
export interface SyncStep extends Step {
  /** The ids of unanswered items; the next run retries them. */
  again: string[]
}

export const newSyncStep = (): SyncStep => ({ ...emptyStep(), again: [] })

/** The list after a step. @throws ProviderError `unavailable` when it is full */
export function retriesAfter(list: RetryList, { upserts, deletions, failures, again }: SyncStep): RetryList {
  const settled = new Set([...[...upserts, ...failures].map(({ externalId }) => externalId), ...deletions])
  const waiting = list.filter(({ id }) => again.includes(id) || !settled.has(id))
  return again.reduce((all, id) => retryLater(all, id), waiting)
}

/** The page that stores a step, with the advanced state as its cursor. */
export function pageOf(
  state: JsonValue,
  { again: _again, ...step }: SyncStep,
  end: Pick<ChangePage, 'snapshot' | 'complete'>,
): ChangePage {
  // A copy: the state changes while the engine stores the page.
  return { ...step, cursor: structuredClone(state), ...end }
}
