const NAMED_MAX = 5

/** The first few of the attachments that are not read, and how many more there are. */
export function attachmentNames(names: readonly string[]): string {
  const rest = names.length - NAMED_MAX
  return [...names.slice(0, NAMED_MAX), ...(rest > 0 ? [`and ${rest} more`] : [])].join(', ')
}
