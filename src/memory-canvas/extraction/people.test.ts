import { beforeAll, describe, expect, it } from 'vitest'
import { loadTermWeights, type TermWeights } from '../../inference/term-weights.ts'
import { inOneGo } from '../../kernel/slices.ts'
import { extractingEntities } from './extract-entities.ts'

let terms: TermWeights
beforeAll(async () => {
  terms = await loadTermWeights()
})

describe('the people of a mail', () => {
  it('are its recipients by name, where it gives one, and by address', () => {
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
  it('are full names that begin with a given name, of those that are rarer too', () => {
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
})
