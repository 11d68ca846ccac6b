/**
 * Text as PostgreSQL can store it: NUL removed, lone surrogates replaced with U+FFFD.
 * PostgreSQL's text and jsonb refuse both (https://www.postgresql.org/docs/current/datatype-json.html).
 */
export function storableText(text: string): string {
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed()
  return wellFormed.includes('\0') ? wellFormed.replaceAll('\0', '') : wellFormed
}

/** Whether PostgreSQL can store the text as it is. Names and claims about people have to be: a cleaned one is somebody else's. */
export function isStorable(text: string): boolean {
  return storableText(text) === text
}

/** Marks that show nothing by themselves: control, format (zero-width ones among them) and unassigned characters, and fillers. */
const INVISIBLE = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\s]/u

/** Whether a text shows nothing: it is empty, or blanks, control and zero-width characters alone. */
export function showsNothing(text: string): boolean {
  for (const character of text) if (!INVISIBLE.test(character)) return false
  return true
}

/** The same for every string, and every key, inside a JSON value. Of keys that become one, the last one stays. */
export function storableJson(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value)
  if (Array.isArray(value)) return value.map(storableJson)
  if (value !== null && typeof value === 'object') {
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [storableText(key), storableJson(inner)]),
    )
  }
  return value
}
