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

  it('are no places, which is where something is', () => {
    expect(topicsOf('Viele Grüße aus Köln. We meet in Lyon and New York about Zephyr.')).toEqual(['Zephyr'])
  })

  it('are no names of errors, and no formats and signals that everybody has', () => {
    expect(topicsOf('It fails with ECONNREFUSED before the MIME header, and Zephyr answers.')).toEqual([
      'Zephyr',
    ])
  })

  it('are no word in capitals that the item also writes small, but what is written so in part', () => {
    expect(topicsOf('The PANGOLIN is up. A pangolin is sent to GitHub, where github is the user.')).toEqual([
      'GitHub',
    ])
  })

  it('are no heading whose capitals are those of headings', () => {
    const body = '# Delayed Abortions\n\nWhere delayed requests lead to abortions, the server waits.'
    expect(topicsOf(body)).toEqual([])
    expect(topicsOf(`${body} It is called Delayed Abortions.`)).toEqual(['Delayed Abortions'])
    expect(topicsOf('Welcome to all.', 'Onboarding')).toEqual([])
  })

  it('are no numbered standards, and no abbreviations that everybody writes, but those that a company has', () => {
    const body =
      'We follow RFC 7540 and RFC-9110 with SHA-256 over IPv4, TLS and TCP, for SOC 2 and ISO 27001 and the SSO.'
    expect(topicsOf(body)).toEqual(['ISO 27001', 'SOC 2', 'SSO'])
  })

  it('are no titles of chief officers, and no code', () => {
    expect(topicsOf('The CISO and our CRO asked for Dispatch.DispatchHandler in Zephyr.')).toEqual(['Zephyr'])
  })

  it('are nothing that somebody does, but what is called by it beside a name', () => {
    expect(topicsOf('It prevents HTTP Request Smuggling. We use PagerDuty Scheduling.')).toEqual([
      'PagerDuty Scheduling',
    ])
  })

  it('are no words that begin a list entry, the text of a link or a sentence behind code', () => {
    expect(topicsOf('- **maxStreams**: `number` - Default: `100`. Dictates how many there are.')).toEqual([])
    expect(topicsOf('- `multipart` Multipart support')).toEqual([])
    expect(topicsOf('See [Diversity, Inclusion and Belonging](/values).')).toEqual([])
    expect(topicsOf('Price list notes 6\nOnboarding notes 22\nTravel policy')).toEqual([])
  })

  it('are no titles of pages that a link leads to, where the item writes their words small', () => {
    const linked = 'See [Prototype Hoarding](/hoarding). A prototype is kept by hoarding.'
    expect(topicsOf(linked.replace('Hoarding', 'Warden').replaceAll('hoarding', 'warden'))).toEqual([])
    expect(topicsOf('See [Atlas Gateway](/atlas).')).toEqual(['Atlas Gateway'])
  })
})
