import { distance } from 'fastest-levenshtein'

/** A longer name is no slip of the pen, and is not compared. */
const CHARACTERS_MAX = 200

/**
 * The known name that a misspelt one most likely stands for: at most a third of its characters wrong, however it is
 * capitalised and its words are joined. undefined where none is near.
 */
export function nearestName(misspelt: string, known: readonly string[]): string | undefined {
  if (misspelt.length > CHARACTERS_MAX) return undefined
  const plain = withoutJoints(misspelt)
  let nearest: string | undefined
  let fewest = Math.ceil(plain.length / 3) + 1
  for (const name of known) {
    const wrong = distance(plain, withoutJoints(name))
    if (wrong >= fewest) continue
    nearest = name
    fewest = wrong
  }
  return nearest
}

/** `connector_id` and `connectorID` are the same slip. */
function withoutJoints(name: string): string {
  return name.toLowerCase().replaceAll(/[_\s-]/g, '')
}
