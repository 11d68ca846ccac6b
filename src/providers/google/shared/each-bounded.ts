/** Works on values, at most `concurrency` at once. After a failure it waits for what is running and throws the first. */
export async function eachBounded<Value>(
  values: readonly Value[],
  concurrency: number,
  work: (value: Value) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = []
  const left = values.values()
  const run = async () => {
    for (const value of left) {
      if (failures.length > 0) return
      await work(value).catch((error: unknown) => failures.push(error))
    }
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, values.length) }, run))
  if (failures.length > 0) throw failures[0]
}
