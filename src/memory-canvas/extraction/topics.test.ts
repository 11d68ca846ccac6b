import { beforeAll, describe, expect, it } from 'vitest'
import { loadTermWeights, type TermWeights } from '../../inference/term-weights.ts'
import { inOneGo } from '../../kernel/slices.ts'
import { extractingEntities } from './extract-entities.ts'

let terms: TermWeights
beforeAll(async () => {
  terms = await loadTermWeights()
})

function topicsOf(body: string, title = ''): string[] {
  const item = {
    provider: 'notion',
    sourceKind: 'document',
    title,
    body,
    authorName: null,
    metadata: {},
  } as const
  return inOneGo(extractingEntities(item, terms))
    .filter(({ type }) => type === 'topic')
    .map(({ names }) => names[0]?.name ?? '')
    .toSorted()
}

describe('the topics of a text', () => {
  it('are what has a name of its own', () => {
    expect(topicsOf('We moved Zephyr from MySQL to the new cluster with Kubernetes.')).toEqual([
      'Kubernetes',
      'MySQL',
      'Zephyr',
    ])
  })

  it('are no greetings, units, methods and words that begin a sentence', () => {
    const body = 'Whoever asks gets 20 MiB. POST it. However, we wait.\n\nViele Grüße\n\nSaludos'
    expect(topicsOf(body)).toEqual([])
  })

  it('are no headings that every such document has, numbered or not', () => {
    expect(topicsOf('# Sheet1\n\nnumbers\n\n# Sheet2\n\nmore\n\n# Slide 3\n\nnumbers', 'Invoice')).toEqual([])
  })

  it('are not made of cells that stand side by side', () => {
    expect(topicsOf('Topic | Owner | Due | Cost\nsomething | somebody | soon | 12')).toEqual([])
    expect(topicsOf('Zephyr | Heron | soon')).toEqual(['Heron', 'Zephyr'])
  })
})
