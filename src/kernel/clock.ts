/** The source of the current time. All code that reads the time takes a `Clock`, so that tests can set it. */
export interface Clock {
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }
