import { describe, expect, it } from 'vitest'
import { gainsByHints, readHints } from './hints.ts'

const now = new Date('2026-03-20T12:00:00Z')
const read = (question: string) => readHints(question, now, ['slack', 'google_drive', 'gmail'])
const document = (provider: 'slack' | 'gmail', day: string) => ({ provider, changedAt: new Date(day) })

describe('the hints of a question', () => {
  it.each([
    ['What did Ines decide about the vault in Slack?', 'slack'],
    ['Where is the plan on Drive?', 'google_drive'],
    ['What does the offer in my mail say?', 'gmail'],
    ['Who slacks off?', null],
  ])('name a provider: %s', (question, provider) => {
    expect(read(question).provider).toBe(provider)
  })

  it('are removed from the question', () => {
    expect(read('What was decided last week in Slack about prices?').question).not.toMatch(/slack|week/i)
    expect(read('What is the latest?').question).toMatch(/what is/i)
  })

  it('leave a question without hints unchanged', () => {
    const question = 'How many days of leave do I get?'
    expect(read(question)).toEqual({ provider: null, order: null, within: null, question })
  })
})

describe("a document's gain by hints", () => {
  const documents = [
    document('gmail', '2026-01-01'),
    document('slack', '2026-03-18'),
    document('gmail', '2026-02-01'),
  ]

  it('grows with its age or recency, and is above zero only if a hint fits', () => {
    const newest = gainsByHints(read('What is the latest offer?'), documents)
    expect(newest.indexOf(Math.max(...newest))).toBe(1)
    const oldest = gainsByHints(read('What is the oldest offer?'), documents)
    expect(oldest.indexOf(Math.max(...oldest))).toBe(0)
    expect(gainsByHints(read('What was offered last week?'), documents).map((gain) => gain > 0)).toEqual([
      false,
      true,
      false,
    ])
    expect(gainsByHints(read('What was offered in Slack?'), documents).map((gain) => gain > 0)).toEqual([
      false,
      true,
      false,
    ])
    expect(gainsByHints(read('What was offered?'), documents)).toEqual([0, 0, 0])
  })

  it("ignores time if the document's date is unknown", () => {
    expect(gainsByHints(read('the latest offer'), [{ provider: 'slack', changedAt: undefined }])).toEqual([0])
  })
})
