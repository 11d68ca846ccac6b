import { distance } from 'fastest-levenshtein'

/** Longer names are not compared: they are unlikely to be typos. */
const CHARACTERS_MAX = 200

/** The known name that a misspelled one most likely means; undefined when over a third differs. */
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

/** `connector_id` and `connectorID` are the same typo. */
function withoutJoints(name: string): string {
  return name.toLowerCase().replaceAll(/[_\s-]/g, '')
}
