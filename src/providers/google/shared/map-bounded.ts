/** Maps values, at most `concurrency` at once. After a failure it waits for what is running and throws the first. */
export async function mapBounded<Value, Result>(
  values: readonly Value[],
  concurrency: number,
  work: (value: Value) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const failures: unknown[] = []
  let next = 0
  const run = async () => {
    while (next < values.length && failures.length === 0) {
      const index = next
      next += 1
      const value = values[index]
      if (value === undefined) continue
      try {
        results[index] = await work(value)
      } catch (error) {
        failures.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, values.length) }, run))
  if (failures.length > 0) throw failures[0]
  return results
}
