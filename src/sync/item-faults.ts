/**
 * Whether storing failed because of what an item holds: the database cannot represent it (SQLSTATE class 22) or it is over
 * one of its limits (class 54, https://www.postgresql.org/docs/current/errcodes-appendix.html), or cutting it into chunks broke.
 */
export function isItemFault(error: unknown): error is Error {
  if (!(error instanceof Error)) return false
  if (error instanceof RangeError || error instanceof URIError) return true
  return 'code' in error && /^(22|54)[0-9A-Z]{3}$/.test(String(error.code))
}
