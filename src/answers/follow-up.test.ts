import { beforeAll, describe, expect, it } from 'vitest'
import { loadTermWeights, type TermWeights } from '../inference/term-weights.ts'
import { findSuperlinear, hostileTextOf } from '../../test/support/hostile-texts.ts'
import { standaloneQuestion } from './follow-up.ts'

let terms: TermWeights
beforeAll(async () => {
  terms = await loadTermWeights()
})
const resolved = (question: string, ...turns: [question: string, answer?: string][]): string =>
  standaloneQuestion(
    question,
    turns.map(([asked, answer = '']) => ({ question: asked, answer })),
    terms,
  )

describe('a follow-up question', () => {
  it.each([
    ['and in Germany?', 'How many days off do employees in Switzerland get?', 'in Germany'],
    ['What about backups?', 'How long are logs kept?', 'How long are backups kept'],
    ['And invoices?', 'Where are the contracts stored?', 'Where are the invoices stored'],
    ['And the Pro plan?', 'How much is the Builder plan?', 'How much is the the Pro plan plan'],
    ['and contractors?', 'How many days of leave do employees get?', 'do contractors get'],
  ])(
    'that only names a change becomes the last question with that change: %s',
    (question, last, expected) => {
      const alone = resolved(question, [last])
      expect(alone).toContain(expected)
      expect(alone).not.toMatch(/Switzerland|logs|contracts|Builder|employees in S/)
    },
  )

  it('is appended to the last question if no word in it is close', () => {
    expect(resolved('And qwxzv?', ['How long are logs kept?'])).toBe('How long are logs kept? qwxzv')
  })

  it.each(['Who wrote it?', 'Do they expire?', 'And who approves?', 'Why?', 'What is that?'])(
    'without a subject gets the content words of the last question: %s',
    (question) => {
      expect(resolved(question, ['How are travel vouchers issued?'])).toBe(
        `${question} travel vouchers issued`,
      )
    },
  )

  it('about a person gets the names in the last answer', () => {
    const last: [string, string] = ['Who maintains the pipeline?', 'Maria Keller maintains it with care. [1]']
    expect(resolved('What is her phone number?', last)).toBe('What is her phone number? Maria Keller')
  })

  it('gets what the last answer named if the question asked for it', () => {
    const last: [string, string] = ['Which database is used?', 'The service runs on PostgreSQL. [1]']
    expect(resolved('How do I back it up?', last)).toMatch(/^How do I back it up\? .*PostgreSQL/)
  })

  it('keeps its subject through a chain', () => {
    const chain: [string][] = [['Who approves travel vouchers?'], ['Do they expire?'], ['Why?']]
    expect(resolved('How are they renewed?', ...chain)).toMatch(/travel vouchers/)
  })

  it.each([
    'How many meeting rooms are there?',
    'Is it possible to export audit events?',
    'What is the limit that applies to uploads?',
    `What is it? ${'x'.repeat(500)}`,
  ])('with its own subject is unchanged: %s', (question) => {
    expect(resolved(question, ['How are travel vouchers issued?'])).toBe(question)
  })

  it('is unchanged without a conversation', () => {
    expect(resolved('Who wrote it?')).toBe('Who wrote it?')
  })

  it('is processed in linear time', () => {
    const part = 'And A A A A '
    const question = part.repeat(40)
    const follow = (answer: string): string =>
      resolved(question, ...Array.from({ length: 10 }, (): [string, string] => [question, answer]))
    expect(findSuperlinear(hostileTextOf(part, 12_000), follow, 20)).toBe(null)
  })
})
