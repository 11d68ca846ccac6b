/** Waits for work, at most `ms` milliseconds; the work itself continues. @returns whether it ended in time */
export async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  const { promise: timeIsUp, resolve } = Promise.withResolvers<false>()
  const timer = setTimeout(() => resolve(false), ms)
  try {
    return await Promise.race([work.then(() => true), timeIsUp])
  } finally {
    clearTimeout(timer)
  }
}
