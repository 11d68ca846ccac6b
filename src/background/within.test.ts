import { describe, expect, it } from 'vitest'
import { within } from './within.ts'

describe('a bounded wait', () => {
  it('ends when the work or the time ends', async () => {
    expect(await within(60_000, Promise.resolve('done'))).toBe(true)
    expect(await within(1, new Promise(() => {}))).toBe(false)
    await expect(within(60_000, Promise.reject(new Error('failed')))).rejects.toThrow('failed')
  })
})
