/** Where the current time comes from. Everything that reads the time takes one, so that tests can turn it. */
export interface Clock {
  /** The current time. */
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }
