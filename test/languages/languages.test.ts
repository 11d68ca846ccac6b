import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { averageMeasures, DEPTH, measureRanking } from '../../evaluation/measures.ts'
import { readCollection } from '../../evaluation/read-collection.ts'
import { loadBuiltinModel } from '../../src/inference/embedding-models/builtin/builtin.ts'

/** A random ranking has .126; English questions have .95. */
const NDCG_MIN = 0.8

describe('questions in other languages', () => {
  it.each(['german', 'french', 'spanish'])(
    'in %s find English documents nearly as well as English questions do',
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
      expect(averageMeasures(all).ndcg10).toBeGreaterThan(NDCG_MIN)
    },
  )
})
