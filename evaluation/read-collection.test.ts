import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { readCollection, sampleQueries } from './read-collection.ts'

const FILES = {
  'corpus.jsonl': '{"id":"d1","title":"T","text":"one"}\n\n{"id":"d2","text":"two"}\n',
  'queries.jsonl': '{"id":"q1","text":"first"}\n{"id":"q2","text":"second"}\n{"id":"q3","text":"unjudged"}\n',
  'qrels.tsv': 'q1\td1\t1\nq1\td2\t0\nq2\td2\t2\r\n',
}
const folders: string[] = []
let folder: string

async function fill(changes: Partial<typeof FILES> = {}): Promise<string> {
  for (const [name, text] of Object.entries({ ...FILES, ...changes }))
    await writeFile(join(folder, name), text)
  return folder
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'collection-'))
  folders.push(folder)
})
afterAll(async () => {
  for (const each of folders) await rm(each, { recursive: true })
})

describe('a collection', () => {
  it('has its documents, and the questions with a relevant one', async () => {
    const { documents, queries } = await readCollection(await fill())
    expect(documents).toEqual([
      { id: 'd1', title: 'T', text: 'one' },
      { id: 'd2', title: '', text: 'two' },
    ])
    expect(queries).toEqual([
      { id: 'q1', text: 'first', relevant: new Map([['d1', 1]]) },
      { id: 'q2', text: 'second', relevant: new Map([['d2', 2]]) },
    ])
  })

  it('may have a header line in its grades', async () => {
    const grades = `query-id\tcorpus-id\tscore\n${FILES['qrels.tsv']}`
    expect((await readCollection(await fill({ 'qrels.tsv': grades }))).queries).toHaveLength(2)
  })

  it.each<[string, Partial<typeof FILES>, RegExp]>([
    ['broken JSON', { 'corpus.jsonl': '{"id":"d1"' }, /corpus\.jsonl, line 1 is not JSON/],
    ['a document without text', { 'corpus.jsonl': '{"id":"d1"}' }, /corpus\.jsonl, line 1: text/],
    [
      'an id that occurs twice',
      { 'queries.jsonl': '{"id":"q","text":"a"}\n{"id":"q","text":"b"}' },
      /line 2.*twice/,
    ],
    ['an empty corpus', { 'corpus.jsonl': '\n' }, /corpus\.jsonl is empty/],
    ['a grade of an unknown document', { 'qrels.tsv': 'q1\td9\t1' }, /line 1: corpus\.jsonl has no "d9"/],
    [
      'a grade of an unknown question',
      { 'qrels.tsv': 'q1\td1\t1\nq9\td1\t1' },
      /line 2: queries\.jsonl has no "q9"/,
    ],
    ['a line without a grade', { 'qrels.tsv': 'q1 d1 1\n' }, /three columns/],
    ['no relevant document at all', { 'qrels.tsv': 'q1\td1\t0\n' }, /no question has a relevant document/],
  ])('is refused with file and line for %s', async (_fault, changes, message) => {
    await expect(readCollection(await fill(changes))).rejects.toThrow(message)
  })

  it('that does not exist is refused with an explanation of collections', async () => {
    await expect(readCollection(join(folder, 'missing'))).rejects.toThrow(
      /missing\/corpus\.jsonl cannot be read\. A collection is a folder/,
    )
  })
})

describe('a sample of questions', () => {
  it('is spread evenly and deterministic', () => {
    const queries = Array.from({ length: 10 }, (_, at) => ({ id: `${at}`, text: '', relevant: new Map() }))
    const collection = { name: 'c', documents: [], queries }
    const idsOf = (count: number): string[] => sampleQueries(collection, count).queries.map(({ id }) => id)
    expect(idsOf(3)).toEqual(['0', '3', '6'])
    expect(idsOf(99)).toHaveLength(10)
  })
})
