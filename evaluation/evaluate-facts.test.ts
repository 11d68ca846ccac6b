import { describe, expect, it } from 'vitest'
import { judgeAnswer } from './evaluate-facts.ts'

describe('an answer states a fact', () => {
  it.each([
    ['if it has it', 'The port is 993. [1]', [['993']]],
    ['in another spelling, markup aside', 'Use `--list`. [2]', [['-t'], ['--list', '-l']].slice(1)],
    ['if it has all of several', 'First **stop** it, then start it. [1]', [['stop'], ['start']]],
  ])('%s', (_how, answer, facts) => {
    expect(judgeAnswer(answer, facts)).toMatchObject({ said: true, first: true })
  })

  it.each([
    ['that says a longer number', 'The port is 9930. [1]', [['993']]],
    ['that says only one of several', 'First stop it. [1]', [['stop'], ['start']]],
    ['whose marker is the number', 'That is so. [993]', [['993']]],
    ['that nothing is asked of', 'Anything. [1]', []],
  ])('but not if it is %s', (_how, answer, facts) => {
    expect(judgeAnswer(answer, facts)).toMatchObject({ said: false, first: false })
  })

  it('that a person reads: within 900 characters, and first within 200', () => {
    const more = 'and more is said here. '.repeat(16)
    expect(judgeAnswer(`993 ${more}${more}${more} [1]`, [['993']])).toMatchObject({ said: true, first: true })
    expect(judgeAnswer(`${more}993 [1]`, [['993']])).toMatchObject({ said: true, first: false })
    expect(judgeAnswer(`${more}${more}${more}993 [1]`, [['993']])).toMatchObject({
      said: false,
      first: false,
    })
  })
})
