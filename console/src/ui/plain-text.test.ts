import { expect, it } from 'vitest'
import { plainText } from './plain-text.ts'

it('removes Markdown syntax and keeps every word', () => {
  expect(plainText('Intro\n## Storage\n- **State** lives in `PostgreSQL`\n> #incidents, 2 * 3 - 1')).toBe(
    'Intro\nStorage\nState lives in PostgreSQL\n#incidents, 2 * 3 - 1',
  )
})
