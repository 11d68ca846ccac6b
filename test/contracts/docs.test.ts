import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { routes } from '../../src/assembly/routes.ts'
import { AUDIT_ACTIONS } from '../../src/audit/index.ts'
import { readSettings, settingsSchema } from '../../src/config.ts'
import { ACTIONS } from '../../src/kernel/actions.ts'
import { ERROR_CODES } from '../../src/kernel/error-codes.ts'
import { EVENT_TYPES, EVENTS } from '../../src/outgoing-webhooks/index.ts'
import { DELIVERY_ERRORS } from '../../src/database/schema-words.ts'
import { testedBlock } from '../support/doc-pages.ts'
import { newSecret, signedHeaders } from '../../src/outgoing-webhooks/secrets.ts'

/** The table rows whose first cell is a word in code style, without that style. */
async function rows(page: string): Promise<string[][]> {
  const text = await readFile(new URL(`../../docs/${page}`, import.meta.url), 'utf8')
  const cells = text.matchAll(/^\| (`[^`|]+` \|.*) \|$/gm).map(([, row = '']) => row.split(' | '))
  return cells.map((row) => row.with(0, row[0]?.replaceAll('`', '') ?? '')).toArray()
}

describe('docs/reference/settings.md', () => {
  it("has each setting once, with its default and config's description", async () => {
    const documented = await rows('reference/settings.md')
    const defaults: Record<string, unknown> = readSettings({})
    const expected = Object.entries(settingsSchema.shape).map(([name, schema]) => {
      const value = defaults[name]
      return {
        name,
        value: value === undefined ? 'none' : `\`${String(value)}\``,
        meaning: schema.description,
      }
    })
    const written = documented.map(([name, value, meaning]) => {
      const said = expected.find((setting) => setting.name === name)?.meaning
      // A row may say more than config does, but begins with the same words.
      return { name, value, meaning: said && meaning?.startsWith(said) ? said : meaning }
    })
    const byName = (a: { name?: string | undefined }, b: { name?: string | undefined }) =>
      String(a.name).localeCompare(String(b.name))
    expect(written.toSorted(byName)).toEqual(expected.toSorted(byName))
  })
})

describe('docs/reference/errors.md', () => {
  it('has each error code once, with its status', async () => {
    const documented = (await rows('reference/errors.md')).map(([code, status]) => [code, Number(status)])
    expect(documented).toEqual(Object.entries(ERROR_CODES))
  })
})

describe('docs/reference/webhooks.md', () => {
  it('has each event once with its data fields, and each failure reason', async () => {
    const documented = Object.fromEntries(
      (await rows('reference/webhooks.md')).map(([name = '', , fields = '']) => [name, fields]),
    )
    for (const type of EVENT_TYPES) {
      const said = documented[type]?.replaceAll(/\([^)]*\)/g, '').matchAll(/`(\w+)`/g) ?? []
      const fields = Object.keys(EVENTS[type].data.shape).filter((name) => name !== 'organizationId')
      expect(
        [...said].map(([, name]) => name),
        type,
      ).toEqual(fields)
    }
    const names = Object.keys(documented).filter((name) => !/[ /]/.test(name))
    expect(names.filter((name) => name.includes('.'))).toEqual([...EVENT_TYPES])
    expect(names.filter((name) => !name.includes('.')).toSorted()).toEqual(DELIVERY_ERRORS.toSorted())
  })

  it('has working Node and Python code to verify events', async () => {
    const text = await readFile(new URL('../../docs/reference/webhooks.md', import.meta.url), 'utf8')
    const [secret, previous, other] = [newSecret(), newSecret(), newSecret()]
    const body = '{"name":"ü"}'
    const now = { id: 'msg_1', at: new Date(), payload: body }
    const headers = signedHeaders(now, [secret, previous])
    const late = signedHeaders({ ...now, at: new Date(Date.now() - 400_000) }, [secret])
    const cases = [
      { secret, headers, body, good: true },
      { secret: previous, headers, body, good: true },
      { secret: other, headers, body, good: false },
      { secret, headers, body: `${body} `, good: false },
      { secret, headers: late, body, good: false },
    ]
    const { verify } = await import(
      `data:text/javascript,${encodeURIComponent(testedBlock(text, 'verify.js'))}`
    )
    expect(cases.map((one) => verify(one.secret, one.headers, Buffer.from(one.body)))).toEqual(
      cases.map(({ good }) => good),
    )
    const python = `import json, sys\n${testedBlock(text, 'verify.py')}\nfor c in json.load(sys.stdin): print(verify(c["secret"], c["headers"], c["body"].encode()))`
    const run = spawnSync('python3', ['-c', python], { input: JSON.stringify(cases), encoding: 'utf8' })
    // Without Python, only the page's Node code is tested.
    if (run.error === undefined)
      expect(run.stdout.trim().split('\n')).toEqual(cases.map(({ good }) => (good ? 'True' : 'False')))
  })
})

describe('docs/reference/audit.md', () => {
  it('has each audit action once', async () => {
    const documented = (await rows('reference/audit.md')).map(([action]) => action)
    const actions = documented.filter((action) => action?.includes('.'))
    expect(actions.toSorted()).toEqual(AUDIT_ACTIONS.toSorted())
  })
})

describe('docs/reference/keys.md', () => {
  it('has each action of a key once', async () => {
    const documented = (await rows('reference/keys.md')).map(([action]) => action)
    expect(documented.filter((word) => ACTIONS.some((action) => action === word)).toSorted()).toEqual(
      ACTIONS.toSorted(),
    )
  })

  it('names the required action of each agent route', async () => {
    const granted = Object.fromEntries(
      (await rows('reference/keys.md')).map(([action = '', grants = '']) => [action, grants]),
    )
    for (const { access, path } of routes) {
      if (access.surface !== 'agent') continue
      const known =
        granted[access.action]?.matchAll(/(\/v1\/[^`…*]*)/g).map(([prefix]) => prefix.trim()) ?? []
      expect(
        known.some((prefix) => path.startsWith(prefix)),
        `${path}: ${access.action}`,
      ).toBe(true)
    }
  })
})
