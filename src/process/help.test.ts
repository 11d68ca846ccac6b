import { expect, it } from 'vitest'
import { settingsSchema } from '../config.ts'
import { answerArguments } from './help.ts'

it('starts the service without arguments', () => {
  expect(answerArguments([])).toBeUndefined()
})

it.each(['--help', '-h'])('prints every setting for %s instead of starting', (argument) => {
  const answer = answerArguments([argument])
  expect(answer?.exitCode).toBe(0)
  const lines = answer?.text.split('\n') ?? []
  for (const name of Object.keys(settingsSchema.shape)) expect(lines).toContain(`  ${name}`)
  expect(lines.filter((line) => line.length > 120)).toEqual([])
})

it('refuses another argument and names the way to change a setting', () => {
  const answer = answerArguments(['--port', '9000'])
  expect(answer?.exitCode).toBe(2)
  expect(answer?.text).toContain('"--port"')
  expect(answer?.text).toContain('PORT=9000 npm start')
})
