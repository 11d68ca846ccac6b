/** Splits a list into parts of at most `size`. */
export function* inParts<T>(list: readonly T[], size: number): Generator<T[], void> {
  for (let from = 0; from < list.length; from += size) yield list.slice(from, from + size)
}

/** Splits a list into parts of at most `count` entries and a total `size`. A larger entry is a part of its own. */
export function* inSizedParts<T>(
  list: Iterable<T>,
  sizeOf: (one: T) => number,
  { count, size }: { count: number; size: number },
): Generator<T[], void> {
  let part: T[] = []
  let total = 0
  for (const one of list) {
    if (part.length === count || (part.length > 0 && total + sizeOf(one) > size)) {
      yield part
      part = []
      total = 0
    }
    part.push(one)
    total += sizeOf(one)
  }
  if (part.length > 0) yield part
}
