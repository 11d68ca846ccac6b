import { Buffer } from 'node:buffer'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AppError } from '../kernel/errors.ts'
import { JSON_DEPTH_MAX, parseJsonBody } from './json-body.ts'

function refusal(bytes: Buffer): AppError {
  try {
    parseJsonBody(bytes)
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
  throw new Error('the body was accepted')
}

describe('a request body', () => {
  it('is parsed as any JSON value without loss', () => {
    const plain = fc.jsonValue().filter((value) => !JSON.stringify(value).includes('"__proto__"'))
    fc.assert(
      fc.property(plain, (value) => {
        expect(parseJsonBody(Buffer.from(JSON.stringify(value)))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  it.each([
    ['empty', ''],
    ['cut', '{"a":'],
    ['not JSON', "{'a':1}"],
    ['with a comment', '{"a":1 /* b */}'],
    ['with a trailing comma', '{"a":1,}'],
    ['with NaN', '{"a":NaN}'],
    ['with a number that no double holds', '{"a":[-1e400]}'],
    ['with a repeated key', '{"a":1,"a":2}'],
    ['with a repeated key that is escaped', '{"a":1,"\\u0061":2}'],
    ['with a repeated key deep inside', '{"a":[{"b":{"c":1,"c":1}}]}'],
    ['with keys that are one key without NUL', '{"a":1,"a\\u0000":2}'],
    ['with keys that are one key as well-formed text', '{"\\ud800":1,"\\udfff":2}'],
    ['with __proto__ that a NUL hides', '{"a":{"__proto__\\u0000":{"admin":true}}}'],
    ['with constructor.prototype that NULs hide', '{"con\\u0000structor":{"\\u0000prototype":1}}'],
    ['with __proto__', '{"a":{"__proto__":{"admin":true}}}'],
    ['with an escaped __proto__', '{"\\u005f_proto__":1}'],
    ['with constructor.prototype', '{"constructor":{"prototype":{"admin":true}}}'],
    ['nested too deep', '['.repeat(JSON_DEPTH_MAX + 1) + ']'.repeat(JSON_DEPTH_MAX + 1)],
    ['nested absurdly deep', '['.repeat(200_000)],
  ])('is refused when it is %s', (_what, text) => {
    expect(refusal(Buffer.from(text))).toMatchObject({ code: 'malformed_json', status: 400 })
  })

  it.each([
    ['{"a":', 'it ends too early'],
    ['{"a":None}', 'it has an unexpected character'],
    ['x: end of JSON', 'it has an unexpected character'],
    ['{"a":1} b', 'at position 8'],
  ])('is refused with what is wrong and without its content: %s', (text, reason) => {
    expect(refusal(Buffer.from(text)).message).toBe(`The request body is not valid JSON: ${reason}`)
  })

  it('has storable text in every string and key', () => {
    const text = String.raw`{"k\u0000ey":["v\u0000",{"\uD800":"\udfff 🙂 \\u0000"}]}`
    expect(parseJsonBody(Buffer.from(text))).toEqual({ key: ['v', { '\ufffd': '\ufffd 🙂 \\u0000' }] })
  })

  it('is refused when it is not UTF-8', () => {
    expect(refusal(Buffer.from([0x22, 0xff, 0xfe, 0x22])).message).toMatch(/UTF-8/)
  })

  it('can repeat a key in different objects, and use the word constructor', () => {
    const text = '[{"a":1},{"a":{"a":2}},{"constructor":"Acme"}]'
    expect(JSON.stringify(parseJsonBody(Buffer.from(text)))).toBe(text)
  })

  it('is never quoted in its error', () => {
    expect(refusal(Buffer.from('{"password":"hunter2" "x"}')).message).not.toMatch(/hunter2|password/)
  })

  it('is refused when an object has more keys than any schema allows, and names the object', () => {
    const keys = Array.from({ length: 2_001 }, (_, at) => `"k${at}":1`)
    expect(refusal(Buffer.from(`{${keys.join()}}`)).message).toBe('The body must have at most 2000 keys')
    expect(refusal(Buffer.from(`{"a":[0,{"b":{${keys.join()}}}]}`))).toMatchObject({
      message: 'a.1.b must have at most 2000 keys',
      details: { issues: [{ path: 'a.1.b' }] },
    })
    expect(parseJsonBody(Buffer.from(`{${keys.slice(1).join()}}`))).toHaveProperty('k1', 1)
  })

  it('names the list that is too long in a sentence, however long its name', () => {
    const limits = { entriesMax: 2, entryValuesMax: 3, fieldValuesMax: 2 }
    const messageOf = (text: string, more: Partial<typeof limits> = {}): string => {
      try {
        parseJsonBody(Buffer.from(text), { ...limits, ...more })
      } catch (error) {
        return error instanceof Error ? error.message : ''
      }
      return 'nothing was refused'
    }
    expect(messageOf('{"documents":[1,2,3]}')).toBe('documents must have at most 2 documents per request')
    expect(messageOf('{"documents":[[1,2,3,4]]}')).toBe('documents.0 has more than 3 values')
    const tooMany = 'documents.1.metadata must have at most 2 values, counting those inside lists and objects'
    const large = { entryValuesMax: 9 }
    expect(messageOf('{"documents":[{},{"a":1,"metadata":{"b":[1,2]}}]}', large)).toBe(tooMany)
    const full = '{"documents":[{"metadata":{"b":1,"c":2}},{"metadata":{"b":1,"c":2}}]}'
    expect(messageOf(full, large)).toBe('nothing was refused')
    const fine = '{"documents":[{"a":{"b":1,"c":2},"d":[1]},{"metadata":[1,2]}]}'
    expect(messageOf(fine, large)).toBe('nothing was refused')
    expect(messageOf(`{"${'x'.repeat(500_000)}":[1,2,3]}`).length).toBeLessThan(2_000)
  })
})
