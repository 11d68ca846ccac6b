import { readFile } from 'node:fs/promises'
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import { generatedOpenApi } from '../../scripts/generate.ts'
import { routes } from '../../src/assembly/routes.ts'

const document = JSON.parse(generatedOpenApi())

interface Operation {
  operationId: string
  description: string
  tags: string[]
  responses: object
}

function allOperations(): Operation[] {
  const items = [...Object.values<object>(document.paths), ...Object.values<object>(document.webhooks)]
  return items.flatMap((item) => Object.values<Operation>({ ...item }))
}

/** Where an example of a `uri` has characters that are invalid in a URI (RFC 3986, 2). */
function wrongUrls(value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.entries(value).flatMap(([key, next]) => wrongUrls(next, `${path}/${key}`))
  if (!('format' in value && value.format === 'uri' && 'example' in value)) return inner
  return /^[\w.~:/?#[\]@!$&'()*+,;=%-]+$/.test(String(value.example)) ? inner : [path, ...inner]
}

describe('openapi/openapi.json', () => {
  it('matches the route table (npm run generate writes it)', async () => {
    const checkedIn = await readFile(new URL('../../openapi/openapi.json', import.meta.url), 'utf8')
    expect(checkedIn).toBe(generatedOpenApi())
  })

  it('is a valid OpenAPI 3.1 document', async () => {
    const validator = new Validator()
    expect(await validator.validate(structuredClone(document))).toEqual({ valid: true })
    expect(validator.version).toBe('3.1')
  })

  it('has exactly the routes of the table, each under a unique name', () => {
    const documented = Object.entries<Record<string, { operationId: string }>>(document.paths).flatMap(
      ([path, operations]) =>
        Object.entries(operations).map(([method, { operationId }]) => `${operationId} ${method} ${path}`),
    )
    const declared = routes.map((route) => `${route.operationId} ${route.method.toLowerCase()} ${route.path}`)
    expect(documented.toSorted()).toEqual(declared.toSorted())
    expect(new Set(routes.map((route) => route.operationId)).size).toBe(routes.length)
  })

  it('names the exact success statuses: 201 for creation, 202 for an already active run, else 200', () => {
    const successes = Object.fromEntries(
      routes.map(({ operationId, method, path }) => [
        operationId,
        Object.keys(document.paths[path][method.toLowerCase()].responses)
          .filter((status) => status.startsWith('2'))
          .join(),
      ]),
    )
    const other = Object.entries(successes).filter(([, statuses]) => statuses !== '200')
    expect(Object.fromEntries(other)).toEqual({
      createApiKey: '201',
      consoleAddTurn: '201',
      consoleStartEvaluationRun: '201',
      consoleSuggestEvaluationQuestion: '201',
      consoleCreateApiKey: '201',
      // They redirect.
      completeOAuth: '',
      confirmOAuth: '',
      consoleCreateSource: '201',
      consoleCreateOrganization: '201',
      consoleCreateInvitation: '201',
      consoleCreateScimToken: '201',
      consoleCreateThread: '201',
      consoleCreateWebhook: '201',
      consoleTestWebhook: '201',
      consoleRequestConnectorAccess: '201',
      createSyncRun: '201,202',
      consoleCreateSyncRun: '201,202',
    })
  })

  it('declares and describes its tags, including each one that an operation uses', () => {
    const declared: { name: string; description: string }[] = document.tags
    expect(declared.filter(({ description }) => description === '')).toEqual([])
    const used = allOperations().flatMap(({ tags }) => tags)
    expect(declared.map(({ name }) => name).toSorted()).toEqual([...new Set(used)].toSorted())
    expect(document.info.contact).toEqual({ name: expect.any(String), url: document.servers[0].url })
  })

  it('describes every operation, with a success among its answers, and uses every component', () => {
    for (const { operationId, description, responses } of allOperations()) {
      expect(description, operationId).toMatch(/\.$/)
      expect(
        Object.keys(responses).some((status) => /^[23]/.test(status)),
        operationId,
      ).toBe(true)
    }
    const text = JSON.stringify(document)
    for (const [kind, components] of Object.entries<object>(document.components)) {
      if (kind === 'securitySchemes') continue
      // SCIM, whose routes describe themselves, has its own errors.
      const names = Object.keys(components).filter(
        (name) => !['group_exists', 'person_exists'].includes(name),
      )
      for (const name of names) expect(text).toContain(`"#/components/${kind}/${name}"`)
    }
  })

  it('has examples that match their format', () => {
    expect(wrongUrls(document, '')).toEqual([])
  })

  it('says of every route who may call it', () => {
    for (const { access, method, path } of routes) {
      const { security } = document.paths[path][method.toLowerCase()]
      const scheme = {
        public: [],
        agent: ['apiKey'],
        console: ['console'],
        user: ['console'],
        operator: ['operator'],
        scim: [],
      }
      expect(security.flatMap(Object.keys), path).toEqual(scheme[access.surface])
    }
  })
})
