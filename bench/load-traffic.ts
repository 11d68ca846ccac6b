import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { createRandom } from '../emulators/kit/random.ts'
import { benchDocument, benchQuery } from './corpus.ts'
import { call, send } from './server.ts'

const DOCUMENTS_BEFORE = 3_000
const DOCUMENTS_A_REQUEST = 2
const DOCUMENTS_AT_ONCE = 100
/** Maximum requests in flight; beyond it, the service cannot keep up, and the load waits. */
const AT_ONCE = 50
const SECOND = 1_000
/** A request whose instance was replaced, or whose database is unavailable, is retried every second. */
const ATTEMPTS = 60

export type Kind = 'search' | 'hybrid' | 'context' | 'ask' | 'ingest' | 'sources'
/** The share of each kind of request. */
const SHARES: readonly [Kind, number][] = [
  ['search', 0.45],
  ['hybrid', 0.15],
  ['context', 0.08],
  ['ask', 0.07],
  ['ingest', 0.2],
  ['sources', 0.05],
]

export interface Answer {
  kind: Kind
  /** Epoch milliseconds at which it was sent. */
  at: number
  ms: number
  /** Attempts that got 503 or reached no instance. */
  repeated: number
  error?: string
}

const Pushed = z.object({ ingested: z.number(), skipped: z.number() })

/** The target of requests: each read gives the next instance. */
export interface Target {
  readonly url: string
}

/** The latest acknowledged version of each document, by number. */
export class Documents {
  readonly #versions = new Map<number, number>()
  readonly #changing = new Set<number>()
  #next = 0

  readonly #connectorId: string

  constructor(connectorId: string) {
    this.#connectorId = connectorId
  }

  get count(): number {
    return this.#versions.size
  }

  /** A new document, or a new version of a document that no other request is changing. */
  take(random: () => number): { number: number; version: number } {
    const known = Math.floor(random() * this.#next)
    const isNew = random() < 0.5 || !this.#versions.has(known) || this.#changing.has(known)
    const number = isNew ? this.#next++ : known
    this.#changing.add(number)
    return { number, version: (this.#versions.get(number) ?? 0) + 1 }
  }

  acknowledge(taken: readonly { number: number; version: number }[]): void {
    for (const { number, version } of taken) {
      this.#versions.set(number, version)
      this.#changing.delete(number)
    }
  }

  bodyOf(taken: readonly { number: number; version: number }[]): unknown {
    return {
      documents: taken.map(({ number, version }) => ({
        connectorId: this.#connectorId,
        provider: 'notion',
        sourceKind: 'document',
        externalId: `load-${number}`,
        ...benchDocument(number * 1_000 + version),
      })),
    }
  }

  /** Pushes the initial documents. */
  async fill(url: string): Promise<void> {
    while (this.#next < DOCUMENTS_BEFORE) {
      const taken = Array.from({ length: DOCUMENTS_AT_ONCE }, () => ({ number: this.#next++, version: 1 }))
      await call(url, 'POST', '/v1/ingest', this.bodyOf(taken))
      this.acknowledge(taken)
    }
  }

  /** Pushes all documents again. @returns how many the service lacked */
  async countLost(url: string): Promise<number> {
    const all = [...this.#versions].map(([number, version]) => ({ number, version }))
    let lost = 0
    for (let from = 0; from < all.length; from += DOCUMENTS_AT_ONCE) {
      const body = this.bodyOf(all.slice(from, from + DOCUMENTS_AT_ONCE))
      lost += Pushed.parse(await call(url, 'POST', '/v1/ingest', body)).ingested
    }
    return lost
  }
}

function kindOf(random: () => number): Kind {
  let rest = random()
  for (const [kind, share] of SHARES) {
    rest -= share
    if (rest < 0) return kind
  }
  return 'search'
}

/** The path, method and body of a request. */
function requestOf(kind: Exclude<Kind, 'ingest'>, number: number): [string, string, unknown?] {
  const query = benchQuery(number)
  switch (kind) {
    case 'search':
      return ['POST', '/v1/search', { query }]
    case 'hybrid':
      return ['POST', '/v1/search', { query, rank: 'hybrid' }]
    case 'context':
      return ['POST', '/v1/context', { query }]
    case 'ask':
      return ['POST', '/v1/ask', { query }]
    case 'sources':
      return ['GET', '/v1/sources']
  }
}

/** Retries one request until an instance answers. */
async function ask(
  instances: Target,
  kind: Kind,
  [method, path, body]: [string, string, unknown?],
): Promise<Answer> {
  const at = Date.now()
  const started = performance.now()
  let error = ''
  for (let repeated = 0; repeated < ATTEMPTS; repeated += 1) {
    const sent = performance.now()
    const { status, text } = await send(instances.url + path, { method, body }).catch((cause: unknown) => ({
      status: 503,
      text: String(cause),
    }))
    if (status < 300) return { kind, at, ms: performance.now() - (repeated === 0 ? started : sent), repeated }
    error = `${method} ${path}: ${status} ${text.slice(0, 200)}`
    if (status !== 503) return { kind, at, ms: performance.now() - sent, repeated, error }
    await sleep(SECOND)
  }
  return { kind, at, ms: performance.now() - started, repeated: ATTEMPTS, error }
}

/** Sends requests at a steady rate until the time is over. */
export async function sendLoad(
  instances: Target,
  documents: Documents,
  { until, aSecond, answers }: { until: number; aSecond: number; answers: Answer[] },
): Promise<void> {
  const random = createRandom(1)
  const open = new Set<Promise<void>>()
  const one = async (number: number): Promise<void> => {
    const kind = kindOf(random)
    if (kind !== 'ingest') {
      answers.push(await ask(instances, kind, requestOf(kind, number)))
      return
    }
    const taken = Array.from({ length: DOCUMENTS_A_REQUEST }, () => documents.take(random))
    const answer = await ask(instances, kind, ['POST', '/v1/ingest', documents.bodyOf(taken)])
    if (answer.error === undefined) documents.acknowledge(taken)
    answers.push(answer)
  }
  for (let number = 0, due = Date.now(); due < until; number += 1) {
    due = Math.max(due + SECOND / aSecond, Date.now() - SECOND)
    await sleep(Math.max(0, due - Date.now()))
    if (open.size >= AT_ONCE) await Promise.race(open)
    const running = one(number).finally(() => open.delete(running))
    open.add(running)
  }
  await Promise.all(open)
}
