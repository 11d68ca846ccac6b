/** The most requests in the log of a workspace. */
export const REQUESTS_MAX = 10_000
export const LOGGED_DAYS = 7
