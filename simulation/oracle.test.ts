import { describe, expect, it } from 'vitest'
import { checkAnswer, type Asked } from './check-answers.ts'
import { admittedTooMany, fits, mayBeRefused, type PushedDocument, Register } from './oracle.ts'
import { newOrganization, type SimulatedOrganization } from './organizations.ts'

const document = (number: number, policy?: unknown): PushedDocument => ({
  provider: 'notion',
  externalId: 'doc1',
  title: `open-notion-doc1-v${number}`,
  body: 'common',
  policy,
})
const live = { id: 'k', secret: 's', isLive: true, providers: null }

function workspace(): SimulatedOrganization {
  return newOrganization({ id: 'o', name: 'open', plan: 'unlimited', creditsIncluded: null, admin: live })
}

/** The checker's findings for an answer with these titles. */
function violationsOf(
  organization: SimulatedOrganization,
  titles: string[],
  asked: Partial<Asked> = {},
): string[] {
  const violations: string[] = []
  const hits = titles.map((title) => ({ title, content: '', provider: 'notion' }))
  const moments = new Map([...organization.documents].map(([name, register]) => [name, register.now()]))
  checkAnswer({ violate: (what) => violations.push(what) }, organization, {
    action: 'search',
    reply: { status: 200, headers: {}, body: { hits } },
    key: live,
    email: null,
    moments,
    group: organization.group.now(),
    ...asked,
  })
  return violations
}

function stored(policy?: unknown): SimulatedOrganization {
  const organization = workspace()
  const register = new Register<PushedDocument>(null)
  register.end(register.begin(document(1, policy)), 'done')
  organization.documents.set('notion doc1', register)
  return organization
}

describe('the checker of answers', () => {
  it('accepts an answer that shows what is stored', () => {
    expect(violationsOf(stored(), ['open-notion-doc1-v1'])).toEqual([])
  })

  it('reports a document that is missing', () => {
    expect(violationsOf(stored(), [])).toEqual([expect.stringContaining('missed open-notion-doc1-v1')])
  })

  it('reports a document that was deleted', () => {
    const organization = stored()
    const register = organization.documents.get('notion doc1')
    register?.end(register.begin(null), 'done')
    expect(violationsOf(organization, ['open-notion-doc1-v1'])).toEqual([
      expect.stringContaining('deleted or replaced'),
    ])
  })

  it('accepts both states of a change whose response was lost', () => {
    const organization = stored()
    const register = organization.documents.get('notion doc1')
    register?.end(register.begin(null), 'unknown')
    expect(violationsOf(organization, ['open-notion-doc1-v1'])).toEqual([])
    expect(violationsOf(organization, [])).toEqual([])
  })

  it("reports another organization's document", () => {
    expect(violationsOf(workspace(), ['capped-notion-doc1-v1'])).toEqual([
      expect.stringContaining('another organization'),
    ])
  })

  it("reports a document outside the key's scope", () => {
    const key = { ...live, providers: ['slack'] as const }
    expect(violationsOf(stored(), ['open-notion-doc1-v1'], { key })).toEqual([
      expect.stringContaining('out of scope'),
    ])
  })

  it('reports a document that the person may not read', () => {
    const organization = stored({ visibility: 'private', users: ['ada@corp.com'] })
    const titles = ['open-notion-doc1-v1']
    expect(violationsOf(organization, titles, { email: 'ada@corp.com' })).toEqual([])
    expect(violationsOf(organization, titles, { email: 'bob@corp.com' })).toEqual([
      expect.stringContaining('may not read'),
    ])
  })
})

describe('the checker of counts', () => {
  it('accepts acknowledged events, with others that may have happened', () => {
    const tally = { acknowledged: 3, unknown: 1 }
    expect([2, 3, 4, 5].map((count) => fits(count, tally))).toEqual([false, true, true, false])
  })

  it('reports a minute with too many requests', () => {
    const at = (ms: number) => ({ sentAt: ms, answeredAt: ms + 10 })
    expect(admittedTooMany([at(0), at(10_000), at(50_000)], 2)).toBe(3)
    expect(admittedTooMany([at(0), at(10_000), at(60_000)], 2)).toBe(0)
  })

  it('reports a refusal while the minute has room', () => {
    const at = (ms: number) => ({ sentAt: ms, answeredAt: ms + 10 })
    expect(mayBeRefused(at(30_000), [at(0), at(10_000)], 2)).toBe(true)
    expect(mayBeRefused(at(65_000), [at(0), at(10_000)], 2)).toBe(false)
  })
})
