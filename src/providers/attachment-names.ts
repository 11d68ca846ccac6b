const NAMED_MAX = 5
const LISTED_MAX = 50
const NAME_CHARACTERS_MAX = 255

/** The attachments that an item's metadata lists. Senders choose the names, and searches return them. */
export const listedAttachments = (names: readonly string[]): string[] =>
  names.slice(0, LISTED_MAX).map((name) => name.slice(0, NAME_CHARACTERS_MAX))

/** The first few of the attachments that are not read, and how many more there are. */
export function attachmentNames(names: readonly string[]): string {
  const rest = names.length - NAMED_MAX
  return [...names.slice(0, NAMED_MAX), ...(rest > 0 ? [`and ${rest} more`] : [])].join(', ')
}
