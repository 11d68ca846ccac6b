import type { DocumentList, ListedDocument } from '../api-shapes.ts'
import { CommandError } from '../failures.ts'
import { formatMoment, printableLine } from '../terminal.ts'

const ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/
/** The start of an id, long enough not to be an ordinary word. */
const ID_BEGINNING = /^[\da-f]{4}[\da-f-]*$/
/** Half of a key's requests per minute. */
const PAGES_MAX = 30
const NAMED_MAX = 10

/**
 * The id of the document with this id, id prefix, title or external id; ids and titles ignore case. Searches the
 * newest documents unless given a whole id.
 * @throws CommandError when none or several match
 */
export async function findDocument(words: string, pages: () => AsyncIterable<DocumentList>): Promise<string> {
  const meant = words.trim()
  const lower = meant.toLowerCase()
  if (ID.test(lower)) return lower
  const isMeant = ({ id, title, externalId }: ListedDocument): boolean =>
    (ID_BEGINNING.test(lower) && id.startsWith(lower)) ||
    title.trim().toLowerCase() === lower ||
    externalId === meant
  const found: ListedDocument[] = []
  let looked = 0
  let complete = false
  let pageCount = 0
  for await (const page of pages()) {
    found.push(...page.sourceItems.filter(isMeant))
    looked += page.sourceItems.length
    complete = page.nextCursor === null
    if (++pageCount === PAGES_MAX) break
  }
  const [only] = found
  if (only !== undefined && found.length === 1) return only.id
  const beyond = complete
    ? ''
    : ` among the ${looked} most recently changed; name an older one by its full ID`
  if (only === undefined) throw new CommandError(`No document is called "${printableLine(meant)}"${beyond}.`)
  const named = found.slice(0, NAMED_MAX).map(describe)
  const more = found.length > NAMED_MAX ? [`  and ${found.length - NAMED_MAX} more`] : []
  throw new CommandError([`"${printableLine(meant)}" means several:`, ...named, ...more].join('\n'))
}

function describe({ id, provider, updatedAt, title }: ListedDocument): string {
  return `  ${id}  ${provider}  ${formatMoment(updatedAt)}  ${printableLine(title)}`
}
