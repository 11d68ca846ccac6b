import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { says } from '../../evaluation/evaluate-facts.ts'
import { HALVES, halfOf, readFacts } from '../../evaluation/read-facts.ts'
import { readCollection } from '../../evaluation/read-collection.ts'

const folderOf = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url))

describe('the questions for facts', () => {
  it('are about a thousand over documents of thirty kinds, in two halves that share no document', async () => {
    const collection = await readCollection(folderOf('facts'))
    expect(collection.queries.length).toBeGreaterThanOrEqual(1000)
    expect(new Set(collection.queries.map(({ id }) => id.replace(/-\d+$/, ''))).size).toBe(30)
    const halves = Map.groupBy(collection.documents, ({ id }) => halfOf(id))
    for (const half of HALVES) expect(halves.get(half)?.length).toBeGreaterThanOrEqual(50)
  })

  it.each(['facts', 'natural'])(
    'of test/%s each belong to one document, named by its title, that contains every fact',
    async (name) => {
      const collection = await readCollection(folderOf(name))
      const facts = await readFacts(folderOf(name))
      const documents = new Map(collection.documents.map((document) => [document.id, document]))
      expect(new Set(collection.documents.map(({ title }) => title)).size).toBe(documents.size)
      for (const { id } of collection.queries) expect(facts.get(id) ?? [], id).not.toEqual([])
      const missing = collection.queries.filter(({ id, relevant }) => {
        const [document = ''] = relevant.keys()
        return relevant.size !== 1 || !says(documents.get(document)?.text ?? '', facts.get(id) ?? [])
      })
      expect(missing).toEqual([])
    },
  )
})
