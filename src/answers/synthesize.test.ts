import { describe, expect, it } from 'vitest'
import { tokenize } from '../inference/embedding-models/builtin/tokenize.ts'
import type { Hit } from '../retrieval/index.ts'
import { inOneGo } from '../kernel/slices.ts'
import { synthesizingAnswer } from './synthesize.ts'

const COMMON = new Set(['team', 'compani', 'member', 'time', 'day', 'day'])
const terms = { tokenize, backgroundWeight: (stem: string) => (COMMON.has(stem) ? 2 : 6) }

const hit = (title: string, content: string, score = 0.5): Hit => ({
  sourceItemId: title,
  title,
  content,
  url: '',
  provider: 'notion',
  score,
  metadata: {},
  syncedAt: '2026-01-01T00:00:00Z',
})

const handbook = [
  hit(
    'Remote work',
    'Welcome to our handbook. It is a living document. Everyone may work from anywhere. ' +
      'Laptops are ordered through the service desk. A laptop is replaced every 36 months. Please be patient.',
  ),
  hit(
    'Expenses',
    '# Expenses\n\nThis page is about expenses.\n\n## Hotels\n\nThe nightly limits for hotels are:\n\n' +
      '- Berlin: 180 EUR\n- Oslo: 240 EUR\n\n## Meals\n\nMeals are reimbursed up to 50 EUR a day. They need a receipt.',
  ),
  hit('Contacts', '| Area | Owner |\n|---|---|\n| Payroll | Ines Okafor |\n| Security | Tomas Reyes |'),
]
const ask = (question: string, hits: readonly Hit[] = handbook): string =>
  inOneGo(synthesizingAnswer(question, hits, terms))

describe('an answer without a language model', () => {
  it('is the sentence that answers, with its marker, not the first lines of the hits', () => {
    expect(ask('How often is a laptop replaced?')).toMatch(/^A laptop is replaced every 36 months\. \[1\]/)
    expect(ask('How often is a laptop replaced?')).not.toContain('Welcome')
  })

  it('puts list items below what leads into them', () => {
    expect(ask('What is the nightly limit for hotels?')).toContain(
      'The nightly limits for hotels are:\n- Berlin: 180 EUR [2]\n- Oslo: 240 EUR [2]',
    )
  })

  it('reads table rows', () => {
    expect(ask('Who is the owner of payroll?')).toMatch(/^Payroll – Owner: Ines Okafor \[3\]/m)
  })

  it('keeps with a sentence that points back the one that it points to', () => {
    expect(ask('Do meals need a receipt?')).toContain(
      'Meals are reimbursed up to 50 EUR a day. [2] They need a receipt. [2]',
    )
  })

  it('prefers a sentence that has what is asked for', () => {
    const hits = [
      hit('Launch', 'The launch of Heron is a big moment for all. The launch of Heron is on 4 May 2026.'),
    ]
    expect(ask('When is the launch of Heron?', hits)).toMatch(/^The launch of Heron is on 4 May 2026\. \[1\]/)
  })

  it('answers a question in a document with what follows it', () => {
    const hits = [
      hit('FAQ', 'Can I bring my dog to the office?\n\nYes, on Fridays, when all in the room agree.'),
    ]
    expect(ask('Can I bring my dog to the office?', hits)).toContain(
      'Yes, on Fridays, when all in the room agree. [1]',
    )
  })

  it('is never code that only repeats the question, unless there is nothing else', () => {
    const example = '```sh\nmemory ask "how often is a laptop replaced"\n```'
    const answer = ask('How often is a laptop replaced?', [hit('Guide', `Ask:\n\n${example}`), ...handbook])
    expect(answer).toMatch(/^A laptop is replaced every 36 months\. \[2\]/)
    expect(answer).not.toContain('memory ask')
    expect(ask('How often is a laptop replaced?', [hit('Guide', example)])).toContain('memory ask')
  })

  it('shows the best of the hits read first, also where another one shares more words with the question', () => {
    const hits = [
      hit('Vacation', 'Everybody gets 28 days. The calendar shows them.'),
      hit('Survey', 'We asked how many vacation days people wish for and many days they got.'),
    ]
    const answer = ask('How many vacation days do I get?', hits)
    expect(answer).toContain('Everybody gets 28 days. [1]')
    expect(answer).not.toContain('The calendar')
  })

  it('says nothing twice', () => {
    const same = 'The office in Lyon opens at eight.'
    expect(ask('When does the office in Lyon open?', [hit('A', same), hit('B', same)])).toBe(`${same} [1]`)
  })

  it('is the same for the same input', () => {
    expect(ask('What are the limits for meals and hotels?')).toBe(
      ask('What are the limits for meals and hotels?'),
    )
  })

  it('stays short and whole, whatever the documents hold', () => {
    const long = hit('Long', `Heron ${'is described at very great length in this one sentence '.repeat(60)}.`)
    const many = hit(
      'Many',
      Array.from({ length: 50 }, (_, i) => `Heron has part number ${i} in it.`).join(' '),
    )
    for (const hits of [[long], [many], [long, many]])
      expect(ask('What is Heron?', hits).length).toBeLessThan(1300)
  })

  it('sets no marker but its own', () => {
    const hits = [hit('Refs', 'Heron was built in Kiel [7]. See [2] for more on Heron, or `birds[3]`.')]
    const answer = ask('Where was Heron built, and where is more on birds?', hits)
    expect(answer).toContain('Heron was built in Kiel. [1]')
    expect(new Set([...answer.matchAll(/\[\d+\]/g)].map(String))).toEqual(new Set(['[1]']))
  })

  it('has something to show even when no word is shared, no sentence is there, or only a title', () => {
    expect(ask('quokka', [hit('A', 'Paid leave is 28 days.')])).toBe('Paid leave is 28 days. [1]')
    expect(ask('quokka', [hit('A', '# Paid leave')])).toContain('Paid leave [1]')
    expect(ask('quokka', [hit('Paid leave', '')])).toBe('Paid leave [1]')
  })
})
