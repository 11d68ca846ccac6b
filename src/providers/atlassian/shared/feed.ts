import type { Feed, FeedItem, FeedPage } from '../../feed.ts'
import type { ProviderSession } from '../../adapter.ts'
import { emptyPosition, NOTHING, Position, readersIn } from './position.ts'

const REMOVED_AT_ONCE = 1_000

/** The current items of a site, without their text. Ids have no site prefix. */
export interface Surveyed {
  /** In reading order. */
  readonly ids: readonly string[]
  /** The mark of each item's current state, `CONTENT.READERS`. */
  readonly marks: ReadonlyMap<string, string>
  readonly stored: ReadonlySet<string>
  /** External ids of stored items that no longer exist. */
  readonly gone: readonly string[]
  /** Stored in the position once everything is read. */
  readonly next?: Position['survey']
}

/** `nothing`: there is no text. `again`: the next run must read it again. */
export type Outcome = 'read' | 'nothing' | 'gone' | 'again'

export interface SurveyedRead {
  item: FeedItem | null
  outcome: Outcome
  /** The mark of the state that was read, if the response shows it. */
  mark?: string
}

export interface SurveyedSite {
  session: ProviderSession
  /** The prefix of item ids: the site's host and a slash. */
  prefix: string
  itemsPerPage: number
  /** Called once per run, with the position of the run. */
  survey(position: Position): Promise<Surveyed>
  /** @throws ProviderError */
  read(id: string): Promise<SurveyedRead>
}

/** The site's host, for every item. */
export const prefixOf = (site: string): string => `${new URL(site).host}/`

/** A run in progress: what is still to be read, and what has been. */
interface Progress {
  position: Position
  surveyed: Surveyed
  waiting: string[]
  gone: string[]
}

/** A feed that compares the whole site with the last run, because no list has all of its changes. */
export function createSurveyFeed({ session, prefix, itemsPerPage, survey, read }: SurveyedSite): Feed<null> {
  let progress: Progress | undefined
  /** Before the comparison: items that an earlier run could not read. */
  const early = new Map<string, Omit<SurveyedRead, 'item'>>()

  async function begin(position: Position): Promise<Progress> {
    const surveyed = await survey(position)
    const { ids, marks, stored } = surveyed
    for (const id of Object.keys(position.known)) if (!marks.has(id)) delete position.known[id]
    const isAsRead = (id: string): boolean => {
      const known = position.known[id] ?? ''
      const mark = marks.get(id) ?? ''
      return known === mark + NOTHING || (known === mark && stored.has(id))
    }
    const waiting = ids.filter((id) => !early.has(id) && !isAsRead(id))
    const begun = { position, surveyed, waiting, gone: [...surveyed.gone] }
    for (const [id, outcome] of early) settle(begun, id, outcome)
    return begun
  }

  async function advance(from: Position): Promise<FeedPage<null> & { gone: string[] }> {
    progress ??= await begin(from)
    session.signal.throwIfAborted()
    const { position, surveyed, waiting } = progress
    const gone = progress.gone.splice(0, REMOVED_AT_ONCE)
    const ids = waiting.splice(0, itemsPerPage)
    for (const id of ids) position.known[id] = surveyed.marks.get(id) ?? ''
    const isLast = waiting.length + progress.gone.length === 0
    // Not earlier: if this run is killed, the next must survey as far back.
    if (isLast && surveyed.next !== undefined) position.survey = surveyed.next
    return {
      listed: ids.map((id) => ({ externalId: prefix + id, entry: null })),
      gone,
      next: position,
      isLast,
    }
  }

  const note = (id: string, outcome: Omit<SurveyedRead, 'item'>): void => {
    if (progress === undefined) early.set(id, outcome)
    else settle(progress, id, outcome)
  }

  return {
    start: async () => emptyPosition(),
    async list(after) {
      const page = await advance(after === null ? emptyPosition() : Position.parse(after))
      return { ...page, since: page.next }
    },
    changes: (since) => advance(Position.parse(since)),
    async read(externalId) {
      const id = externalId.slice(prefix.length)
      try {
        const { item, ...outcome } = await read(id)
        note(id, outcome)
        return item
      } catch (error) {
        note(id, { outcome: 'again' })
        throw error
      }
    },
  }
}

function settle(
  { position: { known }, surveyed: { marks } }: Progress,
  id: string,
  { outcome, mark = marks.get(id) }: Omit<SurveyedRead, 'item'>,
): void {
  if (mark === undefined || outcome === 'gone') delete known[id]
  else if (outcome === 'again') known[id] = `.${readersIn(mark)}`
  else known[id] = outcome === 'read' ? mark : mark + NOTHING
}
