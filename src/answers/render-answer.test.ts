import { expect, it } from 'vitest'
import { loadTermWeights } from '../inference/term-weights.ts'
import { inOneGo } from '../kernel/cooperative.ts'
import type { Hit } from '../retrieval/index.ts'
import { createReadMaterial } from './read-material.ts'
import { renderAnswer } from './render-answer.ts'

const { read } = createReadMaterial(await loadTermWeights())
const bins: Hit = {
  sourceItemId: 'bins',
  title: 'Bins',
  content: 'Bins are emptied on Monday. They hold paper.',
  url: '',
  provider: 'notion',
  score: 0.5,
  metadata: {},
  syncedAt: '2026-01-01T00:00:00Z',
}

it('shows a sentence once if it is chosen and another one refers to it', () => {
  const { candidates } = inOneGo(read({ question: 'bins', hits: [bins], around: [] }))
  const groups = [candidates.slice(1), candidates.slice(0, 1)]
  const shownAs = { narrow: <T>(passage: T): T => passage, headingOf: () => null, speakerOf: () => null }
  expect(renderAnswer(groups, candidates, shownAs)).toBe(
    'Bins are emptied on Monday. [1] They hold paper. [1]',
  )
})
