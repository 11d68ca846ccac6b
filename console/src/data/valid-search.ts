/** Reads a page's search parameters. The router adds what it returns to the raw ones, so the others are undefined. */
export function validSearch<Search extends object>(
  read: (given: Record<string, unknown>) => Search,
): (given: Record<string, unknown>) => Search {
  return (given) => ({
    ...Object.fromEntries(Object.keys(given).map((name) => [name, undefined])),
    ...read(given),
  })
}
