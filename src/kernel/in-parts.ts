/** Splits a list into parts of at most `size`. */
export function* inParts<T>(list: readonly T[], size: number): Generator<T[], void> {
  for (let from = 0; from < list.length; from += size) yield list.slice(from, from + size)
}
