import { describe, expect, it } from 'vitest'
import { loadTermWeights } from '../inference/term-weights.ts'
import { inOneGo } from '../kernel/cooperative.ts'
import { lacksEvidence } from './question-words.ts'

const terms = await loadTermWeights()
const passages = [
  { title: 'Mail', content: 'Mails are kept for seven years in the archive of the mail server.' },
]
const misses = (question: string, coverNeeded: number, isWeak = false): boolean =>
  inOneGo(lacksEvidence(question, passages, { isWeak, coverNeeded }, terms))

describe('passages seem not to answer', () => {
  it('if they lack a name of the question', () => {
    expect(misses('How long does Northgate keep mails?', 0)).toBe(true)
    expect(misses('How long are mails kept?', 0)).toBe(false)
  })

  it('if none has the required share of its words', () => {
    expect(misses('Which printer toner do mails need?', 0.6)).toBe(true)
    expect(misses('Which printer toner do mails need?', 0)).toBe(false)
    expect(misses('Which printer toner do mails need?', 0.2)).toBe(false)
    expect(misses('How long does the archive keep mails on the server?', 0.6)).toBe(false)
  })

  it('but a longer question needs a smaller share', () => {
    const told = 'Our server has an archive. A colleague asked me today: for how many years are mails kept?'
    expect(misses('Which colleague keeps mails?', 0.6)).toBe(true)
    expect(misses(told, 0.6)).toBe(false)
    expect(misses(told, 0.9)).toBe(true)
  })

  it('although the nearest one is far away, unless it has the words', () => {
    expect(misses('What is a mail server?', 0.8, true)).toBe(false)
    expect(misses('What is a print server?', 0.8, true)).toBe(true)
    expect(misses('Wie lange werden Nachrichten aufbewahrt?', 0.8, true)).toBe(true)
  })

  it('never because of words if the question is in another language', () => {
    expect(misses('Wie lange werden Nachrichten von Northgate aufbewahrt?', 0.6)).toBe(false)
  })
})
