/** Makes a value at its first use. A failure is not cached. */
export function makeOnce<Value>(make: () => Promise<Value>): () => Promise<Value> {
  const made = makeOncePerKey(make)
  return () => made('')
}

/** Makes a value at the first use of its key. A failure is not cached. */
export function makeOncePerKey<Value>(
  make: (key: string) => Promise<Value>,
): (key: string) => Promise<Value> {
  const made = new Map<string, Promise<Value>>()
  return (key) => {
    const before = made.get(key)
    if (before !== undefined) return before
    const value = make(key)
    made.set(key, value)
    value.catch(() => made.delete(key))
    return value
  }
}
