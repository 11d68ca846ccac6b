import { beforeAll, describe, expect, it } from 'vitest'
import { loadTermWeights, type TermWeights } from '../../inference/term-weights.ts'
import { inOneGo } from '../../kernel/cooperative.ts'
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
  it('include names of things', () => {
    expect(topicsOf('We moved Zephyr from MySQL to the new cluster with Kubernetes.')).toEqual([
      'Kubernetes',
      'MySQL',
      'Zephyr',
    ])
  })

  it('exclude greetings, units, methods and words that begin a sentence', () => {
    const body = 'Whoever asks gets 20 MiB. POST it. However, we wait.\n\nViele Grüße\n\nSaludos'
    expect(topicsOf(body)).toEqual([])
  })

  it('exclude generic headings, numbered or not', () => {
    expect(topicsOf('# Sheet1\n\nnumbers\n\n# Sheet2\n\nmore\n\n# Slide 3\n\nnumbers', 'Invoice')).toEqual([])
  })

  it('leave out parts of a page and numbered decision records', () => {
    const body = '# Menu\n\n# SYNOPSIS\n\nSupersedes ADR 009. See ADR-012. We use Zephyr.'
    expect(topicsOf(body)).toEqual(['Zephyr'])
  })

  it('do not span adjacent table cells', () => {
    expect(topicsOf('Topic | Owner | Due | Cost\nsomething | somebody | soon | 12')).toEqual([])
    expect(topicsOf('Zephyr | Heron | soon')).toEqual(['Heron', 'Zephyr'])
  })

  it('exclude places', () => {
    expect(topicsOf('Viele Grüße aus Köln. We meet in Lyon and New York about Zephyr.')).toEqual(['Zephyr'])
  })

  it('exclude error names, and common formats and signals', () => {
    expect(topicsOf('It fails with ECONNREFUSED before the MIME header, and Zephyr answers.')).toEqual([
      'Zephyr',
    ])
  })

  it('exclude a capitalized word that the item also writes in lower case, unless only part of a name', () => {
    expect(topicsOf('The PANGOLIN is up. A pangolin is sent to GitHub, where github is the user.')).toEqual([
      'GitHub',
    ])
  })

  it('exclude headings in title case', () => {
    const body = '# Delayed Abortions\n\nWhere delayed requests lead to abortions, the server waits.'
    expect(topicsOf(body)).toEqual([])
    expect(topicsOf(`${body} It is called Delayed Abortions.`)).toEqual(['Delayed Abortions'])
    expect(topicsOf('Welcome to all.', 'Onboarding')).toEqual([])
  })

  it('exclude numbered standards and common abbreviations but include those of a company', () => {
    const body =
      'We follow RFC 7540 and RFC-9110 with SHA-256 over IPv4, TLS and TCP, for SOC 2 and ISO 27001 and the SSO.'
    expect(topicsOf(body)).toEqual(['ISO 27001', 'SOC 2', 'SSO'])
  })

  it('exclude titles of chief officers and code', () => {
    expect(topicsOf('The CISO and our CRO asked for Dispatch.DispatchHandler in Zephyr.')).toEqual(['Zephyr'])
  })

  it('exclude activities, but include things named after one', () => {
    expect(topicsOf('It prevents HTTP Request Smuggling. We use PagerDuty Scheduling.')).toEqual([
      'PagerDuty Scheduling',
    ])
  })

  it('exclude words that begin a list entry, a link text or a sentence after code', () => {
    expect(topicsOf('- **maxStreams**: `number` - Default: `100`. Dictates how many there are.')).toEqual([])
    expect(topicsOf('- `multipart` Multipart support')).toEqual([])
    expect(topicsOf('See [Diversity, Inclusion and Belonging](/values).')).toEqual([])
    expect(topicsOf('Price list notes 6\nOnboarding notes 22\nTravel policy')).toEqual([])
  })

  it('exclude titles of linked pages whose words the item writes in lower case', () => {
    const linked = 'See [Prototype Hoarding](/hoarding). A prototype is kept by hoarding.'
    expect(topicsOf(linked.replace('Hoarding', 'Warden').replaceAll('hoarding', 'warden'))).toEqual([])
    expect(topicsOf('See [Atlas Gateway](/atlas).')).toEqual(['Atlas Gateway'])
  })
})
