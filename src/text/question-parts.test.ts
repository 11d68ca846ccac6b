import { expect, it } from 'vitest'
import { splitQuestion } from './question-parts.ts'

const LONG = `${'We moved in March and nobody told the bank. '.repeat(200)}Who tells them?`

it.each([
  ['We moved in March. How long do we keep the old address?', 'How long do we keep the old address?'],
  ['my laptop died on holiday, can I read mail from a library pc', 'can I read mail from a library pc'],
  ['It says "untrusted", it was fine before... what is behind that?', 'what is behind that?'],
  ['Coming from industry: do you get promoted?', 'do you get promoted?'],
])('separates the circumstances from the question: %s', (question, asked) => {
  const [part, ...others] = splitQuestion(question)
  expect(part?.text).toBe(asked)
  expect(question.startsWith(part?.rest ?? '-')).toBe(true)
  expect(others).toEqual([])
})

it.each([
  'How long do we keep the old address?',
  'Does the port change, or is it the same?',
  'On Linux, which port is it?',
  LONG,
])('keeps a question whole that has no circumstances or is too long: %s', (question) => {
  expect(splitQuestion(question)).toEqual([{ text: question, rest: '' }])
})

it('gives both parts of a question its circumstances', () => {
  expect(splitQuestion('My form is done. Where do I send it, and how long does it take?')).toEqual([
    { text: 'Where do I send it', rest: 'My form is done' },
    { text: 'how long does it take?', rest: 'My form is done Where do I send it' },
  ])
})
