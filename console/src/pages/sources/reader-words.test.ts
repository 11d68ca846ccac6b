import { describe, expect, it } from 'vitest'
import { describeReader } from './reader-words.ts'

describe('describeReader', () => {
  it.each([
    [{ kind: 'everyone', name: null, memberCount: null, denied: false }, 'Everyone'],
    [{ kind: 'source', name: null, memberCount: 1, denied: false }, 'People of the source (1 member)'],
    [{ kind: 'group', name: 'legal', memberCount: 12, denied: false }, 'Group legal (12 members)'],
    [{ kind: 'domain', name: 'example.com', memberCount: null, denied: false }, 'Everyone at example.com'],
    [{ kind: 'user', name: 'ada@example.com', memberCount: null, denied: true }, 'Not ada@example.com'],
  ] as const)('names %o', (reader, words) => {
    expect(describeReader(reader)).toBe(words)
  })
})
