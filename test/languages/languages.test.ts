import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { averageMeasures, DEPTH, measureRanking } from '../../evaluation/measures.ts'
import { readCollection } from '../../evaluation/read-collection.ts'
import { loadBuiltinModel } from '../../src/inference/embedding-models/builtin/builtin.ts'

/** nDCG@10 of a random ranking: the mean of 1 / log2(rank + 1) over 36 ranks, with 0 beyond rank ten. */
const CHANCE = 0.126

describe('questions in other languages', () => {
  it.each(['german', 'french', 'spanish'])(
    'in %s find English documents far better than chance',
    async (language) => {
      const collection = await readCollection(fileURLToPath(new URL(language, import.meta.url)))
      const model = await loadBuiltinModel()
      const vectors = await model.embedDocuments(
        collection.documents.map(({ title, text }) => ({ title, text })),
      )
      const all = []
      for (const { text, relevant } of collection.queries) {
        const query = await model.embedQuery(text)
        const ranking = collection.documents
          .map(({ id }, n) => ({
            id,
            score: query.reduce((sum, one, i) => sum + one * (vectors[n]?.[i] ?? 0), 0),
          }))
          .toSorted((a, b) => b.score - a.score)
        all.push(
          measureRanking(
            ranking.slice(0, DEPTH).map(({ id }) => id),
            relevant,
          ),
        )
      }
      expect(averageMeasures(all).ndcg10).toBeGreaterThan(1.5 * CHANCE)
    },
  )
})
