import { createHash } from 'node:crypto'

/** Decisions of a seed. Each kind has its own stream, so that an extra decision of one kind shifts no other. */
export interface Streams {
  /** The next number in [0, 1) of a kind. */
  draw(kind: string): number
  /** An integer in [min, max]. */
  between(kind: string, min: number, max: number): number
  pick<Value>(kind: string, values: readonly Value[]): Value
  /** How many decisions were drawn. */
  readonly drawn: number
}

export function createStreams(seed: number): Streams {
  const counts = new Map<string, number>()
  let drawn = 0
  const draw = (kind: string): number => {
    const count = counts.get(kind) ?? 0
    counts.set(kind, count + 1)
    drawn += 1
    return numberOf(`${seed}\u001f${kind}\u001f${count}`)
  }
  return {
    draw,
    between: (kind, min, max) => min + Math.floor(draw(kind) * (max - min + 1)),
    pick(kind, values) {
      const value = values[Math.floor(draw(kind) * values.length)]
      if (value === undefined) throw new Error(`nothing to pick from for ${kind}`)
      return value
    },
    get drawn() {
      return drawn
    },
  }
}

function numberOf(key: string): number {
  return createHash('sha256').update(key).digest().readUInt32LE(0) / 2 ** 32
}
