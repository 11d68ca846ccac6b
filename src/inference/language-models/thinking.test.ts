import { expect, it } from 'vitest'
import { createThinkingFilter } from './thinking.ts'

function filtered(pieces: readonly string[]): string {
  const filter = createThinkingFilter()
  return pieces.map((piece) => filter.push(piece)).join('') + filter.end()
}

it.each([
  ['<think>\nThe user asks [2].\n</think>\n\nIt is [1].', '\n\nIt is [1].'],
  [' \n<think></think>It is [1].', 'It is [1].'],
  ['<thinking>Hm, </think> no.</thinking>It is.', 'It is.'],
  ['<think>Hm', ''],
  ['<think>Hm</thin', ''],
  ['<thin', '<thin'],
  ['<thinker> is a tag.', '<thinker> is a tag.'],
  ['Use <think> and </think>.', 'Use <think> and </think>.'],
  ['<think>Hm</think>Use <think>.', 'Use <think>.'],
  ['', ''],
])('removes the thoughts before an answer, however it is split: %j', (text, expected) => {
  expect(filtered([text])).toBe(expected)
  expect(filtered([...text])).toBe(expected)
  expect(filtered(text.match(/.{1,5}/gs) ?? [])).toBe(expected)
})

it('holds no more than a partial tag', () => {
  const filter = createThinkingFilter()
  filter.push('<think>')
  for (let count = 0; count < 1_000; count++) expect(filter.push('hm '.repeat(1_000))).toBe('')
  expect(filter.push('</think>It is.')).toBe('It is.')
})
