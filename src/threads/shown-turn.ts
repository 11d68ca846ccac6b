import type { Viewer } from '../kernel/viewer.ts'
import type { StoredTurn, Turn } from './schemas.ts'

export type FindReadable = (viewer: Viewer, itemIds: readonly string[]) => Promise<ReadonlySet<string>>

/** An answer with what it cites. If other people can open it, also with all that the language model read. */
type StoredAnswer = Pick<StoredTurn, 'answer' | 'citations'> & { contextItemIds?: readonly string[] }

/** A stored answer repeats what it is made from, so it needs the right to read each of these items now. */
export async function withholdUnreadable<Stored extends StoredAnswer>(
  stored: readonly Stored[],
  viewer: Viewer,
  findReadable: FindReadable,
): Promise<(Stored & { withheld: boolean })[]> {
  const readable = await findReadable(viewer, [...new Set(stored.flatMap(itemsOf))])
  return stored.map((one) =>
    itemsOf(one).every((id) => readable.has(id))
      ? { ...one, withheld: false }
      : { ...one, answer: '', citations: [], withheld: true },
  )
}

function itemsOf({ citations, contextItemIds = [] }: StoredAnswer): string[] {
  return [...citations.map(({ sourceItemId }) => sourceItemId), ...contextItemIds]
}

export function shown(turn: StoredTurn): Turn {
  return { ...turn, withheld: false }
}
