import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { snippetsOf } from './snippets.ts'

const URL = 'https://memory.example.com'

describe('a question as a call', () => {
  it('is sent unchanged by a shell, even with quotes in the question', () => {
    const query = `What's "on-call"? $(touch /tmp/x) \`id\``
    const [curl] = snippetsOf({ route: 'ask', body: { query } }, URL)
    const sent = execFileSync('sh', [
      '-c',
      `curl() { for word; do printf '%s\\0' "$word"; done; }\n${curl?.code}`,
    ])
    const words = sent.toString().split('\0')
    expect(words[0]).toBe(`${URL}/v1/ask`)
    expect(JSON.parse(words.at(-2) ?? '')).toEqual({ query })
  })

  it('names the method, the tool and the filter', () => {
    const body = { query: 'vacation', limit: 8, rank: 'hybrid' as const, filter: { authorName: 'Ada' } }
    const [, typescript, mcp] = snippetsOf({ route: 'search', body }, URL)
    expect(typescript?.code).toContain('memory.search({')
    expect(JSON.parse(mcp?.code ?? '')).toEqual({ name: 'search', arguments: body })
  })

  it('has only a placeholder for the key', () => {
    for (const { code } of snippetsOf({ route: 'ask', body: { query: 'a' } }, URL).slice(0, 2))
      expect(code).toContain('YOUR_API_KEY')
  })
})
