import { DAY_MS } from '../kernel/clock.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import { isTooLongForQuestion } from '../text/questions.ts'

/** A question's hints about the place and time of its answer. */
export interface Hints {
  provider: ProviderId | null
  /** Which of several documents the question means. */
  order: 'newest' | 'oldest' | null
  /** When the answer was written. */
  within: { from: Date; to: Date } | null
  /** The question without these words. */
  question: string
}

/** The gain of a document that matches a hint: about half the weight of a question's words. */
const PROVIDER_GAIN = 0.35
const TIME_GAIN = 0.35

const NEWEST = /\b(?:latest|newest|most recent(?:ly)?|current(?:ly)?|recently)\b/i
const OLDEST = /\b(?:oldest|earliest|first ever)\b/i

/** Relative times, in days before the question: from, to. */
const TIMES: readonly { says: RegExp; from: number; to: number }[] = [
  { says: /\btoday\b/i, from: 1, to: 0 },
  { says: /\byesterday\b/i, from: 2, to: 0 },
  { says: /\bthis week\b/i, from: 7, to: 0 },
  { says: /\b(?:last|past|previous) week\b/i, from: 14, to: 0 },
  { says: /\bthis month\b/i, from: 31, to: 0 },
  { says: /\b(?:last|past|previous) month\b/i, from: 62, to: 0 },
]

/** Reads the hints of a question at a given time, for documents of these providers. */
export function readHints(question: string, now: Date, providers: readonly ProviderId[]): Hints {
  if (isTooLongForQuestion(question)) return { provider: null, order: null, within: null, question }
  const place = providers
    .map((provider) => ({ provider, says: namesProvider(provider) }))
    .find(({ says }) => says.test(question))
  const time = TIMES.find(({ says }) => says.test(question))
  const isNewest = NEWEST.test(question)
  const order = isNewest ? 'newest' : OLDEST.test(question) ? 'oldest' : null
  const within = time && {
    from: new Date(now.getTime() - time.from * DAY_MS),
    to: new Date(now.getTime() - time.to * DAY_MS),
  }
  let rest = question
  for (const says of [place?.says, time?.says, isNewest ? NEWEST : undefined]) {
    if (says !== undefined) rest = rest.replace(says, ' ')
  }
  const isQuestion = /\p{L}{3}/u.test(rest)
  return {
    provider: place?.provider ?? null,
    order,
    within: within ?? null,
    question: isQuestion ? rest : question,
  }
}

/** Matches "in Slack", "on Drive", "in my mail": a provider by the words of its ID. */
function namesProvider(provider: string): RegExp {
  const words = provider.split('_')
  const names = [
    words.join(' '),
    words.at(-1),
    ...(provider.endsWith('mail') ? ['(?:e-?)?mails?', 'inbox'] : []),
  ]
  return new RegExp(`\\b(?:in|on|from|via|by|per) (?:the |my |our )?(?:${names.join('|')})\\b`, 'i')
}

/** The fields of a document that hints apply to. */
export interface Hinted {
  provider: ProviderId
  changedAt: Date | undefined
}

/** Each document's gain by the hints, which affect only the order. */
export function gainsByHints({ provider, order, within }: Hints, documents: readonly Hinted[]): number[] {
  const times = documents.flatMap(({ changedAt }) => (changedAt === undefined ? [] : [changedAt.getTime()]))
  const distinct = [...new Set(times)].toSorted((a, b) => a - b)
  return documents.map((document) => {
    const at = document.changedAt?.getTime()
    let gain = document.provider === provider ? PROVIDER_GAIN : 0
    if (at === undefined) return gain
    if (order !== null && distinct.length > 1) {
      const share = distinct.indexOf(at) / (distinct.length - 1)
      gain += TIME_GAIN * (order === 'newest' ? share : 1 - share)
    }
    if (within !== null && at >= within.from.getTime() && at <= within.to.getTime()) gain += TIME_GAIN
    return gain
  })
}
