import { distance } from 'fastest-levenshtein'

/** A route by its address; path parameters are `{name}`. */
export interface RouteAddress {
  method: string
  path: string
}

/** A longer path is not a typo. */
const PATH_CHARACTERS_MAX = 300
const WRONG_CHARACTERS_MAX = 4

/** Undefined when none is near. It compares addresses only, so it reveals no stored data. */
export function nearestRoute(asked: RouteAddress, known: readonly RouteAddress[]): RouteAddress | undefined {
  if (asked.path.length > PATH_CHARACTERS_MAX) return undefined
  const path = asked.path.toLowerCase()
  const segments = path.split('/')
  let nearest: RouteAddress | undefined
  // A route with the requested method beats an equally near one with another.
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

/** The route's path with the requested values for its parameters, when it has as many segments. */
function filledIn(path: string, asked: readonly string[]): string {
  const segments = path.split('/')
  if (segments.length !== asked.length) return path
  return segments.map((segment, at) => (segment.startsWith('{') ? asked[at] : segment)).join('/')
}
