import { describe, expect, it } from 'vitest'
import { judgeAnswer } from './evaluate-facts.ts'

describe('an answer is useful', () => {
  it.each([
    ['that says the fact', 'The port is 993. [1]', [['993']]],
    [
      'that says it in another spelling, markup aside',
      'Use `--list`. [2]',
      [['-t'], ['--list', '-l']].slice(1),
    ],
    ['that says all of several', 'First **stop** it, then start it. [1]', [['stop'], ['start']]],
  ])('%s', (_how, answer, facts) => {
    expect(judgeAnswer(answer, facts)).toMatchObject({ said: true, useful: true })
  })

  it.each([
    ['that says a longer number', 'The port is 9930. [1]', [['993']]],
    ['that says only one of several', 'First stop it. [1]', [['stop'], ['start']]],
    ['whose marker is the number', 'That is so. [993]', [['993']]],
    ['that nothing is asked of', 'Anything. [1]', []],
  ])('but not if it is %s', (_how, answer, facts) => {
    expect(judgeAnswer(answer, facts)).toMatchObject({ said: false, useful: false })
  })

  it('only if it is short and begins with the fact', () => {
    const long = 'and more is said here. '.repeat(16)
    expect(judgeAnswer(`993 ${long}${long} [1]`, [['993']])).toMatchObject({ said: true, useful: false })
    expect(judgeAnswer(`${long}993 [1]`, [['993']])).toMatchObject({ said: true, useful: false })
  })
})
