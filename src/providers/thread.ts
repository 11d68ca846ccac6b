import { cutToBytes } from '../text/cut-to-bytes.ts'

/** A line that a person wrote and that looks like the heading of an entry. */
const OWN_HEADING = /^(?=#{1,6}[ \t]{1,20}(?:inline[ \t]{1,20})?(?:comment|review|reply)\b)/gim

/** An entry that a person wrote in a thread. */
export interface ThreadEntry {
  /** What it is, such as `Comment` or `Review, approved`. */
  what: string
  by: string
  at: string
  text: string | null | undefined
}

/** A thread as Markdown, each entry under a heading. A line that looks like another person's heading is escaped. */
export function threadText(
  opening: string,
  text: string,
  entries: readonly ThreadEntry[],
  maxBytes: number,
): string {
  const parts = [opening, escaped(text)]
  let length = 0
  for (const { what, by, at, text: written } of entries.toSorted((one, other) =>
    one.at < other.at ? -1 : 1,
  )) {
    if (length > maxBytes) break
    const said = escaped(written ?? '')
    const time = at.replace('T', ' ').replace(/:\d\d(?:\.\d+)?Z$/, ' UTC')
    parts.push(`## ${what} by ${by}, ${time}`, said)
    length += said.length
  }
  return cutToBytes(parts.filter((part) => part !== '').join('\n\n'), maxBytes).trim()
}

const escaped = (text: string): string => text.replaceAll(OWN_HEADING, '\\').trim()
