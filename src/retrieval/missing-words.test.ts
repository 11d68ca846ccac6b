import { describe, expect, it } from 'vitest'
import { loadTermWeights } from '../inference/term-weights.ts'
import { inOneGo } from '../kernel/slices.ts'
import { missingWords } from './missing-words.ts'

const terms = await loadTermWeights()
const passages = [
  { title: 'Mail', content: 'Mails are kept for seven years in the archive of the mail server.' },
]
const misses = (question: string, isDoubtful: boolean): boolean =>
  inOneGo(missingWords(question, passages, isDoubtful, terms))

describe('passages seem not to answer', () => {
  it('when they lack a name of the question', () => {
    expect(misses('How long does Northgate keep mails?', false)).toBe(true)
    expect(misses('How long are mails kept?', false)).toBe(false)
  })

  it('when the best is far away and none has most of the words', () => {
    expect(misses('Which printer toner do mails need?', true)).toBe(true)
    expect(misses('Which printer toner do mails need?', false)).toBe(false)
    expect(misses('How long does the archive keep mails on the server?', true)).toBe(false)
  })

  it('never for their words when the question is in another language', () => {
    expect(misses('Wie lange werden Nachrichten von Northgate aufbewahrt?', true)).toBe(false)
  })
})
