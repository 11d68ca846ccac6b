import { readFileSync } from 'node:fs'

import { describe, expect, it } from 'vitest'
import { z } from 'zod'

import { tokenize } from '../../src/inference/embedding-models/builtin/tokenize.ts'

const Line = z.object({ id: z.string(), title: z.string().default(''), text: z.string() })

function readLines(name: string): z.infer<typeof Line>[] {
  const text = readFileSync(new URL(name, import.meta.url), 'utf8')
  return text
    .trim()
    .split('\n')
    .map((line) => Line.parse(JSON.parse(line)))
}

const documents = new Map(readLines('corpus.jsonl').map((line) => [line.id, line]))
const questions = new Map(readLines('queries.jsonl').map((line) => [line.id, line]))
const pairs = readFileSync(new URL('qrels.tsv', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => line.split('\t'))

describe('the paraphrases', () => {
  it('are at least sixty questions, each with one existing answer', () => {
    expect(questions.size).toBeGreaterThanOrEqual(60)
    expect(pairs.map(([question]) => question)).toEqual([...questions.keys()])
    for (const [, answer] of pairs) expect(documents.has(answer ?? '')).toBe(true)
  })

  it('share no content word with the answer, so that word matching alone cannot find it', () => {
    const shared: string[] = []
    const empty: string[] = []
    for (const [questionId = '', documentId = ''] of pairs) {
      const question = questions.get(questionId)?.text ?? ''
      const answer = documents.get(documentId)
      const stems = new Set(tokenize(`${answer?.title}\n${answer?.text}`))
      const asked = tokenize(question)
      if (asked.length === 0) empty.push(question)
      shared.push(...asked.filter((stem) => stems.has(stem)).map((stem) => `${stem} in: ${question}`))
    }
    expect(empty).toEqual([])
    expect(shared).toEqual([])
  })
})
