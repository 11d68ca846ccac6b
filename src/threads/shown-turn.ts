import type { Viewer } from '../kernel/viewer.ts'
import type { StoredTurn, Turn } from './schemas.ts'

export type FindReadable = (viewer: Viewer, itemIds: readonly string[]) => Promise<ReadonlySet<string>>

/** An answer as it was given, stored with what it cites. */
type StoredAnswer = Pick<StoredTurn, 'answer' | 'citations'>

/** A stored answer repeats what its citations said, so it needs the right to read each of them now. */
export async function withholdUnreadable<Stored extends StoredAnswer>(
  stored: readonly Stored[],
  viewer: Viewer,
  findReadable: FindReadable,
): Promise<(Stored & { withheld: boolean })[]> {
  const cited = new Set(stored.flatMap(({ citations }) => citations.map(({ sourceItemId }) => sourceItemId)))
  const readable = await findReadable(viewer, [...cited])
  return stored.map((one) =>
    one.citations.every(({ sourceItemId }) => readable.has(sourceItemId))
      ? { ...one, withheld: false }
      : { ...one, answer: '', citations: [], withheld: true },
  )
}

export function shown(turn: StoredTurn): Turn {
  return { ...turn, withheld: false }
}
