import { WEAK_EVIDENCE } from '../src/context/index.ts'
import type { Collection } from './read-collection.ts'
import { type Facts, HALVES, halfOf, type Unanswerable } from './read-facts.ts'
import type { Workspace } from './workspaces.ts'

/** How often an answer without a language model states the requested fact. */
export interface FactsResult {
  collection: string
  /**
   * Each half, and each kind of question in it (the part of its id before the last `-`), `all` first; then the questions
   * that no document answers, if there are any.
   */
  groups: readonly FactsGroup[]
}

export interface FactsGroup {
  half: string
  kind: string
  questions: number
  /** Questions for which the answer reads a chunk of the right document: an upper bound. */
  read: number
  /** Questions whose answer states the fact, within 900 characters. */
  said: number
  /** Questions whose answer begins with the fact. */
  first: number
  /** Questions whose answer says that the evidence is weak. */
  flagged: number
  /** Average characters of an answer without its markers. */
  characters: number
}

interface Judged {
  half: string
  kind: string
  read: boolean
  said: boolean
  first: boolean
  flagged: boolean
  characters: number
}

/** The kind of questions that no document answers. */
const WITHOUT_ANSWER = 'without an answer'

/** The service's default number of hits for an answer. */
export const HITS = 8
/** What a person reads of an answer, without markers. */
const ANSWER_CHARACTERS_MAX = 900
/** The beginning, at which a person looks first; several facts (the steps of a procedure) may take twice that. */
const BEGINNING_CHARACTERS = 200

/**
 * Asks each question and searches the answer for its facts. Each question has one relevant document; titles
 * are unique.
 */
export async function evaluateFacts(
  collection: Collection,
  facts: ReadonlyMap<string, Facts>,
  workspace: Workspace,
  unanswerable: readonly Unanswerable[] = [],
): Promise<FactsResult> {
  const titles = new Map(collection.documents.map(({ id, title }) => [id, title]))
  const judged: Judged[] = []
  for (const { id, text, relevant } of collection.queries) {
    const [document = ''] = relevant.keys()
    const { answer, context, limitations } = await workspace.ask(text, HITS)
    judged.push({
      half: halfOf(document),
      kind: id.replace(/-[^-]*$/, ''),
      read: context.some(({ title }) => title === titles.get(document)),
      flagged: isFlagged(limitations),
      ...judgeAnswer(answer, facts.get(id) ?? []),
    })
  }
  const others: Judged[] = []
  for (const { text } of unanswerable) {
    const { answer, limitations } = await workspace.ask(text, HITS)
    const asked = { half: '', kind: WITHOUT_ANSWER, read: false, flagged: isFlagged(limitations) }
    others.push({ ...asked, ...judgeAnswer(answer, []) })
  }
  const rest = others.length === 0 ? [] : [summarize('', WITHOUT_ANSWER, others)]
  return { collection: collection.name, groups: [...groupsOf(judged), ...rest] }
}

function isFlagged(limitations: readonly { code: string }[]): boolean {
  return limitations.some(({ code }) => code === WEAK_EVIDENCE.code)
}

/** Whether an answer states all facts within 900 characters (`said`), and within its beginning (`first`). */
export function judgeAnswer(
  answer: string,
  facts: Facts,
): { said: boolean; first: boolean; characters: number } {
  const text = answer.replaceAll(/\s*\[\d+\]/g, '')
  const states = (charactersMax: number): boolean =>
    facts.length > 0 && says(text.slice(0, charactersMax), facts)
  return {
    said: states(ANSWER_CHARACTERS_MAX),
    first: states(BEGINNING_CHARACTERS * Math.min(2, facts.length)),
    characters: text.length,
  }
}

/** Whether a text states all facts, each in one of its spellings. */
export function says(text: string, facts: Facts): boolean {
  const read = normalize(text)
  return facts.every((spellings) => spellings.some((spelling) => standsIn(read, normalize(spelling))))
}

/** Whether the fact is in the text as a whole word: "36" is not in "366". */
function standsIn(text: string, fact: string): boolean {
  for (let at = text.indexOf(fact); at !== -1; at = text.indexOf(fact, at + 1)) {
    const around = [text.charAt(at - 1), text.charAt(at + fact.length)]
    const inside = [fact.charAt(0), fact.charAt(fact.length - 1)]
    if (around.every((one, side) => !(isWordy(one) && isWordy(inside[side] ?? '')))) return true
  }
  return false
}

const isWordy = (character: string): boolean => /[\p{L}\p{N}]/u.test(character)

function normalize(text: string): string {
  return text.normalize('NFKC').replaceAll(/[`*]/g, '').replaceAll(/\s+/g, ' ').toLowerCase()
}

function groupsOf(judged: readonly Judged[]): FactsGroup[] {
  const groups: FactsGroup[] = []
  for (const half of HALVES) {
    const of = judged.filter((one) => one.half === half)
    groups.push(summarize(half, 'all', of))
    for (const [kind, one] of Map.groupBy(of, (each) => each.kind)) groups.push(summarize(half, kind, one))
  }
  return groups
}

function summarize(half: string, kind: string, of: readonly Judged[]): FactsGroup {
  const share = (holds: (one: Judged) => boolean): number => of.filter(holds).length / Math.max(1, of.length)
  return {
    half,
    kind,
    questions: of.length,
    read: share(({ read }) => read),
    said: share(({ said }) => said),
    first: share(({ first }) => first),
    flagged: share(({ flagged }) => flagged),
    characters: Math.round(of.reduce((sum, one) => sum + one.characters, 0) / Math.max(1, of.length)),
  }
}
