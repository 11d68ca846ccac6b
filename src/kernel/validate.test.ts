import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { AppError } from './errors.ts'
import { Timestamp } from './schemas.ts'
import { findIssues, validate } from './validate.ts'

const Body = z.strictObject({
  query: z.string(),
  limit: z.int().min(1).max(25).default(8),
  name: z.string().min(1).max(10).optional(),
  text: z.string().min(1).optional(),
  provider: z.enum(['slack', 'google_drive', 'notion']).optional(),
  id: z.uuid().optional(),
  at: z.iso.datetime({ offset: true }).optional(),
  day: z.iso.date().optional(),
  list: z.array(z.string()).min(1).max(3).optional(),
  few: z.array(z.string()).max(2).optional(),
  count: z.number().min(0).optional(),
  isFull: z.boolean().optional(),
  isSure: z.literal(true).optional(),
  metadata: z
    .record(z.string().max(5), z.union([z.string().max(4), z.number(), z.boolean(), z.null()]))
    .optional(),
  audience: z.union([z.enum(['everyone', 'connector']), z.array(z.email())]).optional(),
  inner: z.strictObject({ title: z.string().refine((text) => text !== '', 'must not be empty') }).optional(),
})

/** The faults of a body that is valid except for these fields. */
function faultsOf(fields: object): string[] {
  const found = findIssues(Body, { query: 'x', ...fields }, 'body')
  return 'data' in found ? [] : found.issues.map(({ message }) => message)
}

describe('a validation message names the field in a sentence', () => {
  it('reports one fault of a malformed time, not also its range', () => {
    const found = findIssues(z.object({ at: Timestamp }), { at: 'yesterday' }, 'body')
    expect(found).toMatchObject({ count: 1 })
  })

  it.each([
    [{ query: undefined }, 'query is required'],
    [{ query: null }, 'query must be a string, not null'],
    [{ query: ['x'] }, 'query must be a string, not an array'],
    [{ limit: '8' }, 'limit must be a whole number, not a string'],
    [{ limit: 1.5 }, 'limit must be a whole number'],
    [{ limit: 26 }, 'limit must be from 1 to 25'],
    [{ limit: 0 }, 'limit must be from 1 to 25'],
    [{ count: -1 }, 'count must be at least 0'],
    [{ name: '' }, 'name must have 1 to 10 characters'],
    [{ name: 'x'.repeat(11) }, 'name must have 1 to 10 characters'],
    [{ text: '' }, 'text must not be empty'],
    [{ list: [] }, 'list must have 1 to 3 entries'],
    [{ few: ['a', 'b', 'c'] }, 'few must have at most 2 entries'],
    [{ list: [1] }, 'list.0 must be a string'],
    [{ isFull: 'yes' }, 'isFull must be true or false, not a string'],
    [{ isSure: false }, 'isSure must be true'],
    [{ id: '42' }, 'id must be a UUID'],
    [
      { at: 'yesterday' },
      'at must be a timestamp in ISO 8601 with a time zone, such as 2026-05-04T10:20:30Z',
    ],
    [{ day: '2026-02-30' }, 'day must be a date such as 2026-05-04'],
    [
      { provider: 'googledrive' },
      'provider must be one of "slack", "google_drive", "notion"; did you mean "google_drive"?',
    ],
    [{ provider: 'x' }, 'provider must be one of "slack", "google_drive", "notion"'],
    [{ provider: 1 }, 'provider must be one of "slack", "google_drive", "notion"'],
    [{ audience: 'all' }, 'audience must be "everyone", "connector" or an array'],
    [{ audience: {} }, 'audience must be "everyone", "connector" or an array, not an object'],
    [{ audience: ['x'] }, 'audience.0 must be an email address'],
    [{ metadata: { a: [] } }, 'metadata.a must be a string, a number, true or false or null, not an array'],
    [{ metadata: { a: 'a text' } }, 'metadata.a must have at most 4 characters'],
    [{ metadata: { 'a long one': 1 } }, 'metadata.a long one has a name that must have at most 5 characters'],
    [{ inner: {} }, 'inner.title is required'],
    [{ inner: { title: '' } }, 'inner.title must not be empty'],
  ])('%j', (fields, message) => {
    expect(faultsOf(fields)).toEqual([message])
  })

  it.each([
    ['text', 'The body must be an object, not a string'],
    [[], 'The body must be an object, not an array'],
    [null, 'The body must be an object, not null'],
    [undefined, 'The body is required'],
  ])('of the whole value: %j', (body, message) => {
    expect(findIssues(Body, body, 'body')).toMatchObject({ issues: [{ path: '', message }] })
  })
})

describe('an unknown field', () => {
  it('comes first, with the nearest known name', () => {
    expect(findIssues(Body, { limit: 99, quary: 'x' }, 'body')).toEqual({
      issues: [
        { path: 'quary', message: 'unknown field "quary"; did you mean "query"?' },
        { path: 'query', message: 'query is required' },
        { path: 'limit', message: 'limit must be from 1 to 25' },
      ],
      count: 3,
    })
  })

  it('names its location and the known fields when no name is near', () => {
    expect(faultsOf({ inner: { title: 'x', colour: 1 } })).toEqual([
      'unknown field "colour" in inner; accepted: title',
    ])
  })

  it('is called a parameter in a query', () => {
    const found = findIssues(z.strictObject({ limit: z.coerce.number().default(1) }), { limt: '3' }, 'query')
    expect(found).toMatchObject({
      issues: [{ message: 'unknown query parameter "limt"; did you mean "limit"?' }],
    })
  })
})

describe('the error for a hostile body', () => {
  it('is short, and counts the faults it leaves out', () => {
    const fields = Object.fromEntries(
      Array.from({ length: 50_000 }, (_, at) => [`${'x'.repeat(90)}${at}`, 1]),
    )
    const started = performance.now()
    const attempt = (): unknown => validate(Body, { query: 1, ...fields }, 'body')
    expect(attempt).toThrow(AppError)
    expect(performance.now() - started).toBeLessThan(5_000)
    expect(attempt).toThrow(/^unknown field "x{80}…"; accepted: query, .*, … \(and 50000 more\)$/)
    const found = findIssues(Body, fields, 'body')
    if ('data' in found) throw new Error('it was taken')
    expect(found.issues).toHaveLength(100)
    expect(JSON.stringify(found.issues).length).toBeLessThan(100_000)
  })

  it('never quotes a value', () => {
    const secret = 'hunter2'
    const wrong = { query: [secret], limit: secret, provider: secret, id: secret, metadata: secret }
    expect(faultsOf(wrong).join()).not.toContain(secret)
  })
})

describe('a value whose length cannot be compared', () => {
  it.each(['query', 'list', 'name'])('is refused in place of %s', (field) => {
    const value = { query: 'x', [field]: { length: { toString: 'x' } } }
    expect(() => validate(Body, value, 'body')).toThrow(AppError)
  })
})
