import type { ChangePage, JsonValue } from '../../adapter.ts'
import { emptyStep, type Step } from '../../run-state.ts'

/** One step of a run. When it is yielded, the state has already advanced. */
export interface SyncStep extends Step {
  /** Unanswered items, by their ids in the retry list; the next run retries them. */
  again: string[]
}

export const newSyncStep = (): SyncStep => ({ ...emptyStep(), again: [] })

/** The page that stores a step, with the advanced state as its cursor. */
export function pageOf(
  state: JsonValue,
  { upserts, deletions, failures, skipped, discovered }: SyncStep,
  end: Pick<ChangePage, 'snapshot' | 'complete'>,
): ChangePage {
  // A copy: the state changes while the engine stores the page.
  return { upserts, deletions, failures, skipped, discovered, cursor: structuredClone(state), ...end }
}
