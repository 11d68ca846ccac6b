import { describe, expect, it } from 'vitest'
import { generatedOpenApi } from '../../scripts/generate.ts'
import { routes } from '../../src/assembly/routes.ts'
import { exampleOf } from '../../src/http/examples.ts'
import { ERROR_CODES } from '../../src/kernel/error-codes.ts'
import type { AnyRoute } from '../support/route-calls.ts'

// Tests read into the document and assert what they find.
// oxlint-disable-next-line typescript/no-explicit-any
const document: any = JSON.parse(generatedOpenApi())
const schemas = document.components.schemas
const operationOf = ({ method, path }: AnyRoute) => document.paths[path][method.toLowerCase()]
const titled = routes.map((route) => [`${route.method} ${route.path}`, route] as const)

const isDescribed = (schema: { description?: string; $ref?: string }): boolean =>
  (schema.description ?? schemas[schema.$ref?.split('/').at(-1) ?? '']?.description ?? '').trim() !== ''

/** Paths of all undescribed properties below a schema. Examples are not schemas. */
function undescribed(schema: unknown, path: string): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  return Object.entries(schema).flatMap(([key, value]) => {
    if (key === 'example' || key === 'examples') return []
    if (key !== 'properties') return undescribed(value, path)
    return Object.entries<object>(value).flatMap(([name, property]) => {
      const below = undescribed(property, `${path}.${name}`)
      return isDescribed(property) ? below : [`${path}.${name}`].concat(below)
    })
  })
}

describe('the reference', () => {
  it('detects an undescribed property at any depth', () => {
    const bare = { type: 'string' }
    const inner = { type: 'object', properties: { a: bare, b: { ...bare, description: ' ' } } }
    expect(undescribed({ anyOf: [{ type: 'array', items: inner }, { $ref: '#' }] }, 'X')).toEqual([
      'X.a',
      'X.b',
    ])
  })

  it('describes every schema and each of its properties [REF-2]', () => {
    expect(Object.keys(schemas).filter((name) => !isDescribed(schemas[name]))).toEqual([])
    expect(Object.entries(schemas).flatMap(([name, schema]) => undescribed(schema, name))).toEqual([])
  })

  it.each(titled)('%s: describes each parameter and field [REF-2]', (_title, route) => {
    const { parameters = [], requestBody, responses, summary } = operationOf(route)
    expect(summary).not.toBe('')
    expect(parameters.filter((parameter: { description?: string }) => !isDescribed(parameter))).toEqual([])
    expect(undescribed(requestBody, 'request')).toEqual([])
    expect(undescribed(responses, 'response')).toEqual([])
  })

  it.each(titled)('%s: has a valid example of its request [REF-3]', (_title, route) => {
    const { parameters = [], requestBody } = operationOf(route)
    for (const part of [route.params, route.query]) {
      if (part !== undefined) expect(part.safeParse(exampleOf(part)).error).toBeUndefined()
    }
    for (const { required, name, schema, example } of parameters) {
      if (required === true) expect(example, name).toBeDefined()
      // Otherwise readers of the document would use the first value of the list, which may find nothing.
      if (schema.enum !== undefined) expect(schema.enum, name).toContain(example)
    }
    if (route.body === undefined) return
    const { example } = requestBody.content['application/json']
    expect(example).toBeDefined()
    expect(route.body.safeParse(example).error).toBeUndefined()
  })

  it.each(titled)('%s: has a valid example of each answer [REF-3]', (_title, route) => {
    for (const [status, schema] of Object.entries(route.responses)) {
      const { example } =
        operationOf(route).responses[status].content[route.downloads[0] ?? 'application/json']
      expect(example, status).toBeDefined()
      const parsed = schema.safeParse(example)
      expect(parsed.error, status).toBeUndefined()
      // Undeclared fields would have been dropped.
      expect(parsed.data, status).toEqual(example)
    }
  })

  it.each(titled)('%s: has an example of each error, by its code [REF-3]', (_title, route) => {
    for (const [status, response] of Object.entries(operationOf(route).responses)) {
      if (/^[23]/.test(status)) continue
      // oxlint-disable-next-line typescript/no-explicit-any
      const { examples } = (response as any).content['application/json']
      const codes = Object.keys(examples)
      expect(codes.length, status).toBeGreaterThan(0)
      for (const code of codes) {
        expect(examples[code]).toEqual({ $ref: `#/components/examples/${code}` })
        if (status !== 'default') expect(Object.entries(ERROR_CODES)).toContainEqual([code, Number(status)])
      }
    }
    for (const code of route.refuses) {
      expect(
        operationOf(route).responses[String(ERROR_CODES[code])].content['application/json'].examples,
      ).toHaveProperty(code)
    }
  })

  it('has one example for every error code', () => {
    const { examples } = document.components
    expect(Object.keys(examples)).toEqual(Object.keys(ERROR_CODES))
    for (const code of Object.keys(ERROR_CODES)) {
      expect(examples[code].value).toMatchObject({ code, error: expect.stringMatching(/./) })
    }
  })
})
