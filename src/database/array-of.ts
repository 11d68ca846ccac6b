/** Values that need no quotes, such as ids, as one value for `$1::uuid[]`; the driver would encode them one by one. */
export function arrayOf(values: Iterable<string | number>): string {
  return `{${[...values].join(',')}}`
}
