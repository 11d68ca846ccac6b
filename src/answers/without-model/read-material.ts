import type { TermWeights } from '../../inference/term-weights.ts'
import type { Pausable } from '../../kernel/cooperative.ts'
import type { Hit } from '../../retrieval/index.ts'
import { createQuotationFilter } from '../../text/quotations.ts'
import type { Candidate } from './candidate.ts'
import type { ComparedQuestion } from './coverage.ts'
import { createMeaning } from '../meaning.ts'
import { toPassage } from './passage.ts'
import { plainText, shorten } from './plain-text.ts'
import type { QuestionPart } from '../../text/question-parts.ts'
import { readQuestionWords } from './word-weights.ts'
import type { Around } from '../read-around.ts'
import { createReadSections } from './read-sections.ts'
import { joinSections, type Section } from './sections.ts'
import { stemsOf, withSingleWords } from './stems.ts'

/** The length limit of a hit without sentences. */
const WHOLE_CHARACTERS_MAX = 300
const WITHOUT_CONTEXT = { context: '', label: null, heading: null, group: 1, term: null, at: 0 }

export interface Material {
  question: string
  /** Not empty. */
  hits: readonly Hit[]
  /** The chunks around each hit, if they were read. */
  around: readonly (Around | undefined)[]
  /** The additional gain of each hit's passages. */
  gains?: readonly number[]
  /** Whether probably no hit answers the question. */
  isWeak?: boolean
}

export interface Read {
  candidates: Candidate[]
  sections: readonly Section[]
  hits: readonly Hit[]
}

/** Splits hits into passages and prepares the question for comparison with them. */
export interface ReadMaterial {
  read(material: Material): Pausable<Read>
  prepare(part: QuestionPart, read: Read): Pausable<ComparedQuestion>
}

export function createReadMaterial(terms: TermWeights): ReadMaterial {
  const meaning = createMeaning(terms)
  const readSections = createReadSections(terms)
  /** Reads each distinct title or heading once: hits of a document share its title. */
  function* readAbove(texts: readonly string[]): Pausable<ReadonlySet<string>[]> {
    const read = new Map<string, ReadonlySet<string>>()
    for (const text of new Set(texts)) {
      yield
      read.set(text, stemsOf(text, terms))
    }
    return texts.flatMap((text) => read.get(text) ?? [])
  }
  return {
    *read({ question, hits, around }) {
      const withoutQuotations = createQuotationFilter(question)
      const sections = joinSections(hits, around, ({ content }) => withoutQuotations(content))
      const candidates = yield* readSections(sections)
      if (candidates.length > 0) return { candidates, sections, hits }
      // As a last resort, quotes the hits.
      const whole = joinSections(hits, around, ({ content }) => content)
      const all = yield* readSections(whole)
      return { candidates: all.length > 0 ? all : fragments(hits), sections: whole, hits }
    },
    *prepare({ text, rest }, { candidates, sections, hits }) {
      const question = withSingleWords(text)
      const words = yield* readQuestionWords(question, rest, candidates, terms, meaning)
      return {
        question,
        words,
        sumOf: meaning.sumOf,
        titles: yield* readAbove(hits.map(({ title }) => title)),
        headings: yield* readAbove(sections.map(({ heading }) => heading ?? '')),
        hits,
      }
    },
  }
}

/** For chunks with only headings or broken markup: their own text, shortened. */
function fragments(hits: readonly Hit[]): Candidate[] {
  return hits.flatMap(({ content }, hit) => {
    const text = shorten(plainText(content), WHOLE_CHARACTERS_MAX)
    const empty = {
      stems: new Set<string>(),
      words: [],
      term: new Set<string>(),
      context: new Set<string>(),
    }
    const unscored = { score: 0, covers: 0, gains: 0 }
    const passage = toPassage('sentence', text, WITHOUT_CONTEXT)
    return text === ''
      ? []
      : [{ ...empty, ...unscored, passage, hit, isBeside: false, section: hit, position: 0 }]
  })
}
