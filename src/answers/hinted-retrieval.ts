import type { Clock } from '../kernel/clock.ts'
import { HITS_MAX } from '../kernel/limits.ts'
import { AGE_SHARE, freshness, type Hit } from '../retrieval/index.ts'
import type { Found } from './found.ts'
import { gainsByHints, type Hints, readHints } from './hints.ts'
import type { Around } from './read-around.ts'
import type { AskRequest } from './schemas.ts'

/** A question with hints reads this many times as many passages, up to the limit of a search, and keeps the best. */
const WIDER = 3

type HintedRequest = Pick<AskRequest, 'query' | 'limit' | 'recency'>

export interface HintedRetrievalOptions<Request extends HintedRequest> {
  search: (request: Request, limit: number, signal?: AbortSignal) => Promise<Found>
  readAround: (request: Request, hits: readonly Hit[]) => Promise<readonly (Around | undefined)[]>
  clock: Clock
}

/** Ranks hits higher if they match the question's words about place and time, and newer ones if requested. */
export function createHintedRetrieval<Request extends HintedRequest>(
  options: HintedRetrievalOptions<Request>,
): (request: Request, signal?: AbortSignal) => Promise<Found> {
  const { search, readAround, clock } = options
  return async (request, signal) => {
    const { query, limit, recency } = request
    const now = clock.now()
    const mayHaveHint = hasHint(readHints(query, now, [])) || NAMES_PLACE.test(query)
    if (!mayHaveHint && recency === undefined) return search(request, limit, signal)
    // A wider limit is free: the search ranks as many anyway.
    const found = await search(request, Math.min(HITS_MAX, WIDER * limit), signal)
    const { hits } = found
    const hints = readHints(query, now, [...new Set(hits.map(({ provider }) => provider))])
    if (!hasHint(hints) && recency === undefined) return { ...found, hits: hits.slice(0, limit) }
    const around = await readAround(request, hits)
    const documents = hits.map(({ provider }, at) => ({ provider, changedAt: around[at]?.changedAt }))
    const gains = gainsByHints(hints, documents).map((gain, at) => {
      const changedAt = documents[at]?.changedAt
      if (recency === undefined || changedAt === undefined) return gain
      return gain + AGE_SHARE * freshness(changedAt, now, recency)
    })
    const ordered = inOrder(hits, gains, limit)
    return { ...found, ...ordered, question: hints.question }
  }
}

function hasHint({ provider, order, within }: Hints): boolean {
  return provider !== null || order !== null || within !== null
}

/** Words that may name a provider. The hits determine which providers exist. */
const NAMES_PLACE = /\b(?:in|on|from|via) (?:the |my |our )?\p{L}{4,20}\b/u

/** The requested number of hits, ordered by score and gain. */
function inOrder(
  hits: readonly Hit[],
  gains: readonly number[],
  limit: number,
): Pick<Found, 'hits' | 'gains'> {
  const best = hits.reduce((most, { score }) => Math.max(most, score), 0) || 1
  const order = hits
    .map((hit, at) => ({ hit, gain: gains[at] ?? 0, worth: hit.score / best + (gains[at] ?? 0) }))
    .toSorted((a, b) => b.worth - a.worth)
    .slice(0, limit)
  return { hits: order.map(({ hit }) => hit), gains: order.map(({ gain }) => gain) }
}
