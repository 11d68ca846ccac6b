import { describe, expect, it } from 'vitest'
import { beginningOf, locatePassage } from './locate-passage.ts'

describe('the location of a passage', () => {
  it('splits the text before and after it', () => {
    expect(locatePassage('One. Two. Three.', 'Two.', false)).toEqual({
      before: 'One. ',
      passage: 'Two.',
      after: ' Three.',
      isCutBefore: false,
      isCutAfter: false,
    })
  })

  it('is missing if the document changed or there is no passage', () => {
    expect(locatePassage('One. Three.', 'Two.', false)).toBeNull()
    expect(locatePassage('One.', '', false)).toBeNull()
  })

  it('shows part of a long text, from the start of a line, until the reader opens all of it', () => {
    const line = `${'word '.repeat(20).trim()}\n`
    const body = `${line.repeat(500)}HERE${line.repeat(500)}`
    const part = locatePassage(body, 'HERE', false)
    expect(part).toMatchObject({ isCutBefore: true, isCutAfter: true })
    expect(part?.before.startsWith('word')).toBe(true)
    expect(body).toContain(`${part?.before}HERE${part?.after}`)
    const whole = locatePassage(body, 'HERE', true)
    expect(`${whole?.before}${whole?.passage}${whole?.after}`).toBe(body)
    expect(beginningOf(body, false).isCut).toBe(true)
    expect(beginningOf(body, true)).toEqual({ text: body, isCut: false })
  })
})
