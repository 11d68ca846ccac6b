import { beforeAll, describe, expect, it } from 'vitest'
import { loadTermWeights, type TermWeights } from '../../inference/term-weights.ts'
import { inOneGo } from '../../kernel/cooperative.ts'
import { extractingEntities } from './extract-entities.ts'

let terms: TermWeights
beforeAll(async () => {
  terms = await loadTermWeights()
})

describe('the people of an email', () => {
  it('are its recipients by name, if given, and by address', () => {
    const metadata = {
      senderEmail: 'jb@corp.com',
      recipients: ['ana@corp.com', 'wei@corp.com'],
      namedRecipients: ['Lima, Ana <ana@corp.com>'],
    }
    const item = { provider: 'gmail', sourceKind: 'message', title: 'Plan', body: 'Hello', metadata } as const
    const people = inOneGo(extractingEntities({ ...item, authorName: 'Jürgen Berg' }, terms))
      .filter(({ type }) => type === 'person')
      .map(({ role, names }) => ({ role, names: names.map(({ name, alias }) => alias ?? name) }))
    expect(people).toEqual([
      { role: 'author', names: ['jb@corp.com', 'jurgen berg'] },
      { role: 'recipient', names: ['ana@corp.com', 'ana lima'] },
      { role: 'recipient', names: ['wei@corp.com'] },
    ])
  })
})

describe('the people of a text', () => {
  it('are full names that begin with a given name, including rarer ones', () => {
    const item = {
      provider: 'notion',
      sourceKind: 'document',
      title: '',
      authorName: null,
      metadata: {},
    } as const
    const body = 'We asked Farid Novak about the plan.'
    const found = inOneGo(extractingEntities({ ...item, body }, terms))
    expect(found.map(({ type, names }) => [type, names[0]?.name])).toEqual([['person', 'Farid Novak']])
  })

  it('are names after a word such as founder, whatever the given name', () => {
    expect(peopleOf('As co-founder Ottokar Vrandel said, director Blue Team Atlas is not.')).toEqual([
      'Ottokar Vrandel',
    ])
  })

  it('include all their given names', () => {
    expect(peopleOf('It is by David Mark Clements, and Ada Byron Kubernetes is not.')).toEqual([
      'David Mark Clements',
      'Ada Byron',
    ])
  })

  it('exclude placeholder addresses, which make no organization either', () => {
    expect(
      peopleOf('Write to jane.roe@company.com or ada.byron@your-company.com, or ada.byron@corvane.com.'),
    ).toEqual(['corvane.com', 'ada.byron@corvane.com'])
  })
})

/** The people and organizations that a text names. */
function peopleOf(body: string): string[] {
  const item = {
    provider: 'notion',
    sourceKind: 'document',
    title: '',
    authorName: null,
    metadata: {},
  } as const
  return inOneGo(extractingEntities({ ...item, body }, terms))
    .filter(({ type }) => type === 'person' || type === 'organization')
    .map(({ names }) => names[0]?.name ?? '')
}
