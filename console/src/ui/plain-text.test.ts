import { expect, it } from 'vitest'
import { plainText } from './plain-text.ts'

it('removes Markdown syntax and keeps every word', () => {
  expect(plainText('Intro\n## Storage\n- **State** lives in `PostgreSQL`\n> #incidents, 2 * 3 - 1')).toBe(
    'Intro\nStorage\nState lives in PostgreSQL\n#incidents, 2 * 3 - 1',
  )
})

it('keeps the text of links and images, and brackets that are neither', () => {
  expect(plainText('[Back up](a/b.md#c), see ![the plan](plan.png) and [1] (2)')).toBe(
    'Back up, see the plan and [1] (2)',
  )
})

it('removes the borders of tables and the fences of code', () => {
  expect(
    plainText(
      '| name | default |\n|---|:--:|\n| `PORT` | 8787 |\n\n```sh\nnpm start | tee log\n```\nDone || not',
    ),
  ).toBe('name · default\nPORT · 8787\n\nnpm start | tee log\nDone || not')
})
