/** Creates a value on first use. Failures are not cached. */
export function makeOnce<Value>(make: () => Promise<Value>): () => Promise<Value> {
  const made = makeOncePerKey(make)
  return () => made('')
}

/** Creates a value on the first use of its key. Failures are not cached. */
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
