import type { Reader } from '../kernel/reader.ts'
import type { StoredTurn, Turn } from './turn.ts'

/** Which of these items the reader may read. */
export type FindReadable = (reader: Reader, itemIds: readonly string[]) => Promise<ReadonlySet<string>>

/** A stored answer repeats what its citations said, so it needs the right to read each of them now. */
export async function withholdUnreadable(
  turns: readonly StoredTurn[],
  reader: Reader,
  findReadable: FindReadable,
): Promise<Turn[]> {
  const cited = new Set(turns.flatMap(({ citations }) => citations.map(({ sourceItemId }) => sourceItemId)))
  const readable = await findReadable(reader, [...cited])
  return turns.map((turn) =>
    turn.citations.every(({ sourceItemId }) => readable.has(sourceItemId))
      ? shown(turn)
      : { ...turn, answer: '', citations: [], withheld: true },
  )
}

export function shown(turn: StoredTurn): Turn {
  return { ...turn, withheld: false }
}
