import { distance } from 'fastest-levenshtein'

/** A route by its address; parameters of the path are `{name}`. */
export interface RouteAddress {
  method: string
  path: string
}

/** Longer paths are no slip of the pen. */
const PATH_CHARACTERS_MAX = 300
const WRONG_CHARACTERS_MAX = 4

/**
 * The route that a wrong address most likely stands for; undefined where none is near. It compares with addresses only, so
 * it tells nothing of what is stored.
 */
export function nearestRoute(asked: RouteAddress, known: readonly RouteAddress[]): RouteAddress | undefined {
  if (asked.path.length > PATH_CHARACTERS_MAX) return undefined
  const path = asked.path.toLowerCase()
  const segments = path.split('/')
  let nearest: RouteAddress | undefined
  // A route with the asked method is nearer than one as near with another.
  let least = 2 * Math.min(WRONG_CHARACTERS_MAX, Math.ceil(path.length / 3)) + 2
  for (const route of known) {
    const penalty = route.method === asked.method ? 0 : 1
    const score = 2 * distance(path, filledIn(route.path.toLowerCase(), segments)) + penalty
    if (score >= least) continue
    nearest = route
    least = score
  }
  return nearest
}

/** The path with what was asked for in place of its parameters, where it has as many parts. */
function filledIn(path: string, asked: readonly string[]): string {
  const segments = path.split('/')
  if (segments.length !== asked.length) return path
  return segments.map((segment, at) => (segment.startsWith('{') ? asked[at] : segment)).join('/')
}
