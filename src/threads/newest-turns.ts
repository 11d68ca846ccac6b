import { TURNS_KEPT_MAX } from '../kernel/retention.ts'
import type { StoredTurn } from './schemas.ts'

/** Limits a thread's JSON, because each question rewrites all of it. Fifty long answers fit. */
const CHARACTERS_MAX = 4 * 1024 * 1024

/** The turns that a thread keeps, in their order. */
export function newestTurns(turns: readonly StoredTurn[]): StoredTurn[] {
  const kept: StoredTurn[] = []
  let characters = 0
  for (const turn of turns.slice(-TURNS_KEPT_MAX).toReversed()) {
    characters += JSON.stringify(turn).length
    if (characters > CHARACTERS_MAX) break
    kept.unshift(turn)
  }
  return kept
}
