/**
 * The results of `work` in order, at most `concurrency` at once. After a failure it starts no more, waits for what is
 * running and throws the first.
 */
export async function mapBounded<Value, Result>(
  values: readonly Value[],
  concurrency: number,
  work: (value: Value) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const failures: unknown[] = []
  const left = values.entries()
  const run = async () => {
    for (const [at, value] of left) {
      if (failures.length > 0) return
      try {
        results[at] = await work(value)
      } catch (error) {
        failures.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, values.length) }, run))
  if (failures.length > 0) throw failures[0]
  return results
}
