/** The first index at which a condition holds that holds for everything after it; the length when there is none. */
export function firstIndex<Value>(ordered: readonly Value[], isReached: (value: Value) => boolean): number {
  let low = 0
  let high = ordered.length
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const value = ordered[middle]
    if (value !== undefined && isReached(value)) high = middle
    else low = middle + 1
  }
  return low
}
