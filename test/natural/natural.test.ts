import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { says } from '../../evaluation/evaluate-facts.ts'
import { readFacts } from '../../evaluation/read-facts.ts'
import { readCollection } from '../../evaluation/read-collection.ts'

const folder = fileURLToPath(new URL('.', import.meta.url))
const collection = await readCollection(folder)
const facts = await readFacts(folder)
const documents = new Map(collection.documents.map((document) => [document.id, document]))

describe('the natural questions', () => {
  it('each belong to one document, named by its title, that contains every fact', () => {
    expect(new Set(collection.documents.map(({ title }) => title)).size).toBe(documents.size)
    for (const { id } of collection.queries) expect(facts.get(id) ?? [], id).not.toEqual([])
    const missing = collection.queries.filter(({ id, relevant }) => {
      const [document = ''] = relevant.keys()
      return relevant.size !== 1 || !says(documents.get(document)?.text ?? '', facts.get(id) ?? [])
    })
    expect(missing).toEqual([])
  })
})
