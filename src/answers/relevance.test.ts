import { describe, expect, it } from 'vitest'
import { loadTermWeights } from '../inference/term-weights.ts'
import { inOneGo } from '../kernel/cooperative.ts'
import { sharingContent } from './relevance.ts'

const terms = await loadTermWeights()
const shares = (question: string, content: string, title = ''): boolean =>
  inOneGo(sharingContent(question, [{ title, content }], terms))

describe('a text shares a content word with a question', () => {
  it('if it has the word, its stem or a synonym, also in its title', () => {
    expect(shares('Who replaces my laptop?', 'Laptops last 36 months.')).toBe(true)
    expect(shares('What is the price?', 'It costs 3 euros.')).toBe(true)
    expect(shares('How much vacation is there?', 'Everybody gets 25 days.', 'Holidays')).toBe(true)
  })

  it('unless they share only numbers and words without a subject', () => {
    expect(shares('Which river flows through Paris?', 'Room 7 has a projector.')).toBe(false)
    expect(shares('Who won the football cup in 2022?', 'Wages rose in 2022.')).toBe(false)
    expect(shares('Can I use my own knife?', 'Use the side door.')).toBe(false)
  })

  it('never, if the question has no content word', () => {
    for (const question of ['And then?', '?', 'the'])
      expect(shares(question, 'And then? Room 7 has the projector.')).toBe(false)
  })
})
