import { describe, expect, it } from 'vitest'
import { shortLine } from './short-line.ts'

describe('shortLine', () => {
  it('returns a short text on one line', () => {
    expect(shortLine(' one\n two ', 7)).toBe('one two')
  })

  it('replaces the rest of a longer text', () => {
    expect(shortLine('one two three', 5)).toBe('one…')
  })

  it('counts and keeps whole characters', () => {
    expect(shortLine('😀😀😀', 3)).toBe('😀😀😀')
    expect(shortLine('😀😀😀😀', 3)).toBe('😀😀…')
  })
})
