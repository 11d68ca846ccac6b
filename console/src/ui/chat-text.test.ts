import { describe, expect, it } from 'vitest'
import { chatMarkdown, sendersOf } from './chat-text.ts'

describe('the text of a chat', () => {
  it('begins a paragraph with the author of each message', () => {
    expect(chatMarkdown('Ada: Hello\nand more\nGrace: Note: yes', ['Ada', 'Grace'])).toBe(
      '\n**Ada:** Hello\nand more\n\n**Grace:** Note: yes',
    )
  })

  it('does not change text that only looks like an author', () => {
    expect(chatMarkdown('Note: this is text', ['Ada'])).toBe('Note: this is text')
  })

  it('escapes Markdown in names', () => {
    expect(chatMarkdown('a*b_: Hi', ['a*b_'])).toBe(String.raw`
**a\*b\_:** Hi`)
  })

  it('returns nothing without named authors, or for a document', () => {
    expect(sendersOf({ sourceKind: 'message', metadata: { senders: 'Ada' } })).toBeNull()
    expect(sendersOf({ sourceKind: 'document', metadata: { senders: ['Ada'] } })).toBeNull()
    expect(sendersOf({ sourceKind: 'message', metadata: { senders: ['Ada', 4] } })).toEqual(['Ada'])
  })
})
