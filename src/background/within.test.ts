import { describe, expect, it } from 'vitest'
import { within } from './within.ts'

describe('waiting within a time', () => {
  it('ends with what is waited for, or with the time', async () => {
    expect(await within(60_000, Promise.resolve('done'))).toBe(true)
    expect(await within(1, new Promise(() => {}))).toBe(false)
    await expect(within(60_000, Promise.reject(new Error('failed')))).rejects.toThrow('failed')
  })
})
