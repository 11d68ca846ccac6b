import type { Pausable } from '../../kernel/cooperative.ts'
import type { Hit } from '../../retrieval/index.ts'
import type { Candidate, ReadPassage } from './candidate.ts'
import type { Meaning } from '../meaning.ts'
import { pointsBack } from './passage.ts'
import type { QuestionWords } from './word-weights.ts'

type Stems = ReadonlySet<string>

/** The question and the titles and headings of the passages that are compared with it. */
export interface ComparedQuestion {
  question: string
  words: QuestionWords
  /** The stems of each hit's title. */
  titles: readonly Stems[]
  /** The stems of each section's heading. */
  headings: readonly Stems[]
  hits: readonly Pick<Hit, 'sourceItemId' | 'score'>[]
  sumOf: Meaning['sumOf']
}

export interface CoveredPassage {
  candidate: Candidate
  before: Candidate | undefined
  title: Stems
  heading: Stems
  covered: Covered
  /** The shares of the question's weight that the passage has: itself, and with all places around it. */
  own: number
  all: number
}

export function* coveringPassages(
  { words, titles, headings }: ComparedQuestion,
  candidates: readonly Candidate[],
): Pausable<CoveredPassage[]> {
  const passages: CoveredPassage[] = []
  for (const [at, candidate] of candidates.entries()) {
    yield
    const [before, after] = [candidates[at - 1], candidates[at + 1]]
    const title = titles[candidate.hit] ?? NONE
    const heading = headings[candidate.section] ?? NONE
    const covered = cover(candidate, words, placesOf(candidate, { before, after, title, heading }))
    candidate.covers = covered.own + covered.term
    const own = candidate.covers + covered.similar
    const all = PLACES.reduce((sum, place) => sum + covered[place], own)
    passages.push({ candidate, before, title, heading, covered, own, all })
  }
  return passages
}

const NONE: Stems = new Set()

function placesOf(
  candidate: Candidate,
  around: { before: Candidate | undefined; after: Candidate | undefined; title: Stems; heading: Stems },
): Places {
  const stemsIn = (other?: Candidate): Stems => (other?.section === candidate.section ? other.stems : NONE)
  const before = stemsIn(around.before)
  const after = stemsIn(around.after)
  const goesOn = before !== NONE && around.before !== undefined && goesOnFrom(candidate, around.before)
  return {
    before: goesOn ? before : NONE,
    context: candidate.context,
    title: around.title,
    heading: around.heading,
    beside: { has: (stem) => before.has(stem) || after.has(stem) },
  }
}

function goesOnFrom({ passage }: Candidate, before: Candidate): boolean {
  return before.passage.text.endsWith('?') || (before.passage.group === passage.group && pointsBack(passage))
}

/** Where the words of a question can occur outside a passage's text, nearest first. */
const PLACES = ['before', 'context', 'title', 'heading', 'beside'] as const
type Places = Record<(typeof PLACES)[number], Pick<Stems, 'has'>>
type Covered = Record<'own' | 'term' | 'similar' | 'beyond' | keyof Places, number>

/** The share of the question's weight at each place. A word counts once, at the first place that has it. */
function cover({ stems, term }: ReadPassage, { weights, similar }: QuestionWords, places: Places): Covered {
  const covered: Covered = {
    own: 0,
    term: 0,
    similar: 0,
    beyond: 0,
    before: 0,
    context: 0,
    title: 0,
    heading: 0,
    beside: 0,
  }
  for (const [stem, weight] of weights) {
    const isOwn = stems.has(stem)
    const isAbove = places.title.has(stem) || places.heading.has(stem)
    if (isOwn || term.has(stem)) {
      covered[term.has(stem) ? 'term' : 'own'] += weight
      if (!isAbove) covered.beyond += weight
      continue
    }
    const closest = similar.get(stem)?.find((other) => stems.has(other.stem))?.closeness ?? 0
    covered.similar += weight * closest
    if (!isAbove) covered.beyond += weight * closest
    const place = PLACES.find((one) => places[one].has(stem))
    if (place !== undefined) covered[place] += weight * (1 - closest)
  }
  return covered
}
