import type { Collection } from './read-collection.ts'
import { isFrom, readWords, type Words } from './text-overlap.ts'
import type { Workspace } from './workspaces.ts'

/** How often an answer without a language model contains the evidence. All are shares, 0 to 1. */
export interface AnswersResult {
  collection: string
  queries: number
  /** Questions with evidence in what the answer reads: an upper bound for `answered`. */
  read: number
  /** Questions whose answer contains evidence. */
  answered: number
  /**
   * `answered` for each kind of question, which is the part of its id before the last `-`, in order of first
   * occurrence.
   */
  byKind: readonly { kind: string; queries: number; answered: number }[]
  /** Average characters of an answer. */
  characters: number
}

interface Judged {
  kind: string
  read: boolean
  answered: boolean
  characters: number
}

/** The service's default number of hits for an answer. */
const HITS = 8

/**
 * Asks each question that `evidence` has too, and searches the answer for a sentence of its relevant
 * documents there. The documents of `evidence` may be sections of the ingested ones; their texts are the
 * evidence.
 */
export async function evaluateAnswers(
  collection: Collection,
  evidence: Collection,
  workspace: Workspace,
): Promise<AnswersResult> {
  const texts = new Map(evidence.documents.map(({ id, title, text }) => [id, `${title}\n${text}`]))
  const sections = new Map(
    evidence.queries.map(({ id, relevant }) => [
      id,
      [...relevant.keys()].map((document) => readWords(texts.get(document) ?? '')),
    ]),
  )
  const judged: Judged[] = []
  for (const { id, text } of collection.queries) {
    const relevant = sections.get(id)
    if (relevant === undefined) continue
    const { answer, context } = await workspace.ask(text, HITS)
    judged.push({
      kind: id.replace(/-[^-]*$/, ''),
      read: context.some(({ content }) => hasEvidence(content.split('\n'), relevant)),
      answered: hasEvidence(answer.split(/\[\d+\]|\n/), relevant),
      characters: answer.length,
    })
  }
  return summarize(collection.name, judged)
}

function hasEvidence(sentences: readonly string[], relevant: readonly Words[]): boolean {
  return sentences.some((sentence) => relevant.some((section) => isFrom(sentence, section)))
}

function summarize(collection: string, judged: readonly Judged[]): AnswersResult {
  const share = (of: readonly Judged[], holds: (one: Judged) => boolean): number =>
    of.filter(holds).length / Math.max(1, of.length)
  const byKind = [...Map.groupBy(judged, ({ kind }) => kind)].map(([kind, of]) => ({
    kind,
    queries: of.length,
    answered: share(of, ({ answered }) => answered),
  }))
  const characters = judged.reduce((sum, one) => sum + one.characters, 0) / Math.max(1, judged.length)
  return {
    collection,
    queries: judged.length,
    read: share(judged, ({ read }) => read),
    answered: share(judged, ({ answered }) => answered),
    byKind,
    characters: Math.round(characters),
  }
}
