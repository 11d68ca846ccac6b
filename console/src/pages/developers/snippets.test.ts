import { describe, expect, it } from 'vitest'
import { ALL_ACTIONS } from './key-actions.ts'
import { presetOf, PRESETS } from './key-presets.ts'
import { requestCurl } from './request-curl.ts'
import { snippetsOf } from './snippets.ts'

const given = { url: 'https://memory.example.com', secret: 'svc_secret', source: null }

describe('the snippets of a new key', () => {
  it('have its secret and the address of the service for any actions', () => {
    for (const action of ALL_ACTIONS)
      for (const { name, text } of snippetsOf({ ...given, actions: [action] })) {
        expect(text, `${action}, ${name}`).toContain(given.secret)
        expect(text, `${action}, ${name}`).toContain(given.url)
      }
  })

  it('show a call that the key may make', () => {
    const curl = (actions: (typeof ALL_ACTIONS)[number][]) => snippetsOf({ ...given, actions })[0]?.text
    expect(curl(['search', 'context', 'ask'])).toContain('/v1/ask')
    expect(curl(['context'])).toContain('/v1/context')
    expect(curl(['ingest'])).toContain('/v1/ingest')
    expect(curl(['admin'])).toContain('/v1/api-keys')
  })

  it('show MCP only if the key may use a tool', () => {
    const names = (action: (typeof ALL_ACTIONS)[number]) =>
      snippetsOf({ ...given, actions: [action] }).map(({ name }) => name)
    expect(names('search')).toContain('MCP client')
    expect(names('admin')).toEqual(['curl', 'TypeScript', 'Python'])
  })
})

describe('a logged request as curl', () => {
  const url = 'https://memory.example.com'

  it('has placeholders for the key and for fields that the log omits', () => {
    expect(requestCurl(url, { method: 'GET', path: '/v1/source-items/{id}' })).toBe(
      `curl ${url}/v1/source-items/ID \\\n  -H 'Authorization: Bearer YOUR_API_KEY'`,
    )
    expect(requestCurl(url, { method: 'POST', path: '/v1/ask' })).toContain(`-d '{"query":`)
    expect(requestCurl(url, { method: 'DELETE', path: '/v1/api-keys/{id}' })).toContain('curl -X DELETE')
  })
})

describe('the presets', () => {
  it('are recognized by their actions, in any order', () => {
    expect(presetOf(['ask', 'search', 'context'])).toBe('reader')
    expect(presetOf(PRESETS.ingester.actions)).toBe('ingester')
    expect(presetOf(ALL_ACTIONS.toReversed())).toBe('admin')
    expect(presetOf(['search', 'ingest'])).toBe('custom')
  })
})
