const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export function isId(text: string): boolean {
  return UUID.test(text)
}

/** An ID in a URL; undefined for anything else. */
export function readId(given: unknown): string | undefined {
  return typeof given === 'string' && isId(given) ? given : undefined
}
