import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../test/support/database.ts'
import { hashEmbeddingModel } from '../test/support/hash-embedding-model.ts'
import { drawChart } from './draw-chart.ts'
import { evaluateAnswers } from './evaluate-answers.ts'
import { evaluateFacts } from './evaluate-facts.ts'
import { evaluateRetrieval } from './evaluate-retrieval.ts'
import { type Collection, readCollection } from './read-collection.ts'
import { chooseThreshold, evaluateWeakEvidence } from './evaluate-weak-evidence.ts'
import { answersTable, factsTable, retrievalTable, weakEvidenceTable } from './table.ts'
import { createWorkspaces, type Workspaces } from './workspaces.ts'

const paraphrases = fileURLToPath(new URL('../test/paraphrases', import.meta.url))

/**
 * Documents of several chunks, each with one sentence that answers; the third question asks for the other
 * documents.
 */
const collection: Collection = {
  name: 'birds',
  documents: ['heron', 'plover', 'wren'].map((bird) => ({
    id: bird,
    title: `Launch of ${bird}`,
    text: `${'Much is said here that no question asks for, at length. '.repeat(60)}The ${bird} launches in May.`,
  })),
  queries: ['heron', 'plover', 'wren'].map((bird) => ({
    id: `launch-${bird}`,
    text:
      bird === 'wren' ? 'When does the heron launch, before the plover?' : `When does the ${bird} launch?`,
    relevant: new Map([[bird, 1]]),
  })),
}

let database: TestDatabase
let workspaces: Workspaces

beforeAll(async () => {
  database = await createTestDatabase()
  workspaces = await createWorkspaces(database.db, hashEmbeddingModel({ id: 'hash', dimensions: 512 }))
})
afterAll(() => database.close())

describe('evaluating search', () => {
  it('ingests and searches documents, and counts the best chunk of each', async () => {
    const workspace = await workspaces.ingest(collection.name, collection.documents)
    const result = await evaluateRetrieval(collection, workspace, 'hash')
    expect(result).toMatchObject({ collection: 'birds', documents: 3, queries: 3, published: [] })
    expect(result.service).toMatchObject({ recall10: 1, mrr10: (1 + 1 + 1 / 3) / 3 })
    expect(result.hybrid.recall10).toBe(1)
    expect(result.reading.recall10).toBe(1)
    expect(result.bm25.mrr10).toBeCloseTo((1 + 1 + 1 / 3) / 3, 10)
    expect(retrievalTable([result])).toContain('| birds ')
    expect(drawChart([result])).toContain('birds')
  })

  it('is deterministic', async () => {
    const read = await readCollection(paraphrases)
    const once = async () =>
      evaluateRetrieval(read, await workspaces.ingest(read.name, read.documents), 'hash')
    // Ties are read in the order of ids, which are random.
    const { hybrid: _hybrid, reading: _reading, ...first } = await once()
    const { hybrid: _hybridAgain, reading: _readingAgain, ...second } = await once()
    expect(first).toEqual(second)
  })
})

describe('evaluating answers', () => {
  it('finds the evidence in the answers, and none if the documents say something else', async () => {
    const workspace = await workspaces.ingest(collection.name, collection.documents)
    const result = await evaluateAnswers(collection, collection, workspace)
    expect(result).toMatchObject({
      queries: 3,
      answered: 2 / 3,
      byKind: [{ kind: 'launch', queries: 3, answered: 2 / 3 }],
    })
    expect(answersTable([result])).toContain('| birds ')
    const elsewhere = {
      ...collection,
      documents: collection.documents.map((one) => ({ ...one, text: 'Another text.' })),
    }
    expect(await evaluateAnswers(collection, elsewhere, workspace)).toMatchObject({ answered: 0, read: 0 })
  })
})

describe('evaluating weak evidence', () => {
  it('measures less evidence for questions of another collection, and chooses a threshold between', async () => {
    const workspace = await workspaces.ingest(collection.name, collection.documents)
    const other = {
      ...collection,
      name: 'fish',
      queries: [{ id: 'x', text: 'Who caught a salmon?', relevant: new Map([['heron', 1]]) }],
    }
    const result = await evaluateWeakEvidence(collection, [other], workspace)
    expect(result).toMatchObject({ collection: 'birds', foreign: [0] })
    const threshold = chooseThreshold([result])
    expect(threshold).toMatchObject({ answerableBelow: 0, foreignBelow: 1 })
    expect(weakEvidenceTable([result], threshold.weakEvidenceBelow)).toMatch(/birds .*3 .*\.000 .*1 .*1\.000/)
  })
})

describe('evaluating facts', () => {
  it('counts answers that state the fact, pages read, and weak evidence, in each half', async () => {
    const workspace = await workspaces.ingest('facts', collection.documents)
    const facts = new Map([
      ['launch-heron', [['heron launches in May']]],
      ['launch-plover', [['in spring', 'plover launches in May']]],
      ['launch-wren', [['wren launches in June']]],
    ])
    const unanswerable = [{ id: 'none-1', text: 'Good morning' }]
    const result = await evaluateFacts(collection, facts, workspace, unanswerable)
    const all = result.groups.filter(({ kind }) => kind === 'all')
    const sum = (of: 'read' | 'said' | 'first') =>
      Math.round(all.reduce((total, group) => total + group.questions * group[of], 0))
    expect(all.map(({ half }) => half)).toEqual(['held out', 'tuning'])
    expect([sum('read'), sum('said'), sum('first')]).toEqual([3, 2, 2])
    expect(all.map(({ flagged }) => flagged)).toEqual([0, 0])
    expect(result.groups.at(-1)).toMatchObject({
      kind: 'without an answer',
      questions: 1,
      said: 0,
      flagged: 1,
    })
    expect(factsTable([result])).toContain('held out')
  })
})
