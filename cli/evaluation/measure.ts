/** A question's expected result: the title, URL or ID of an item, words of the answer, or both. */
export interface Expectation {
  page: string | null
  fact: string | null
}

/** A question's result. */
export interface Result {
  /** The place of the expected page among the pages found, or of the first passage with the fact; null: not found. */
  rank: number | null
  /** Whether the answer has the fact; null where none is expected. */
  hasFact: boolean | null
}

export type Change = 'better' | 'worse' | 'same' | 'new'

interface Found {
  sourceItemId: string
  title: string
  url: string
  content: string
}

/** Results of a search in hybrid order and an answer. `last`: the previous result; undefined: not measured. */
export function measure(
  expected: Expectation,
  { hits, answer }: { hits: readonly Found[]; answer: string },
  last: Result | undefined,
): Result & { change: Change } {
  const rank = rankOf(expected, hits)
  const hasFact = expected.fact === null ? null : contains(answer, expected.fact)
  return { rank, hasFact, change: changeSince(last, { rank, hasFact }) }
}

/** The rank of the expected item among the items found; an item's passages count once. */
function rankOf({ page, fact }: Expectation, hits: readonly Found[]): number | null {
  const places = [...new Set(hits.map(({ sourceItemId }) => sourceItemId))]
  const found = hits.find((hit) => (page === null ? contains(hit.content, fact ?? '') : isPage(hit, page)))
  return found === undefined ? null : places.indexOf(found.sourceItemId) + 1
}

/** Whether an item is the expected page: by its ID, its URL, or its title in any case. */
export function isPage({ sourceItemId, title, url }: Omit<Found, 'content'>, page: string): boolean {
  return sourceItemId === page.toLowerCase() || url === page || plain(title) === plain(page)
}

function contains(text: string, fact: string): boolean {
  return plain(text).includes(plain(fact))
}

/** A text by which others are compared: in lower case, with single spaces, without marks of emphasis. */
function plain(text: string): string {
  return text.toLowerCase().replaceAll(/[*`]+/g, '').replaceAll(/\s+/g, ' ').trim()
}

function changeSince(last: Result | undefined, now: Result): Change {
  if (last === undefined) return 'new'
  const worth = ({ rank }: Result): number => (rank === null ? 0 : 1 / rank)
  const gain = worth(now) - worth(last) || Number(now.hasFact ?? false) - Number(last.hasFact ?? false)
  return gain === 0 ? 'same' : gain > 0 ? 'better' : 'worse'
}
