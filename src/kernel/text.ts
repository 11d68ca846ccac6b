/** Text that PostgreSQL can store: NUL removed, lone surrogates replaced with U+FFFD. */
export function storableText(text: string): string {
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed()
  return wellFormed.includes('\0') ? wellFormed.replaceAll('\0', '') : wellFormed
}

/** The beginning of a text. */
export function clipped(text: string, charactersMax: number): string {
  return text.length <= charactersMax ? text : `${text.slice(0, charactersMax).toWellFormed()}…`
}

/** Whether a text can be stored unchanged, as names of people must be: a cleaned name could be another person's. */
export function isStorable(text: string): boolean {
  return storableText(text) === text
}

/** Invisible characters: control, format (including zero-width) and unassigned ones, and fillers. */
const INVISIBLE = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\s]/u

/** Whether a text is invisible: empty, or only blanks, control and zero-width characters. */
export function showsNothing(text: string): boolean {
  for (const character of text) if (!INVISIBLE.test(character)) return false
  return true
}

/** Applies {@link storableText} to every string and key of a JSON value. Of equal keys, the last one wins. */
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
