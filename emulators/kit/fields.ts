/** A text field of a control route's body; throws when it is missing. */
export function textField(body: Record<string, unknown>, name: string): string {
  const value = body[name]
  if (typeof value !== 'string') throw new Error(`${name} is missing`)
  return value
}
