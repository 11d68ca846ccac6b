import { describe, expect, it } from 'vitest'
import { createAdmission } from './admission.ts'

describe('createAdmission', () => {
  it('works on no more at once than it is told, lets some wait, and refuses the rest with Retry-After', async () => {
    const admit = createAdmission(2, 3)
    const gate = Promise.withResolvers<void>()
    let running = 0
    let most = 0
    const work = async (): Promise<string> => {
      running += 1
      most = Math.max(most, running)
      await gate.promise
      running -= 1
      return 'done'
    }
    const admitted = Array.from({ length: 5 }, () => admit(work))
    await new Promise((resolve) => setImmediate(resolve))
    await expect(admit(work)).rejects.toMatchObject({
      code: 'overloaded',
      status: 503,
      headers: { 'Retry-After': '5' },
      details: { retryAfterSeconds: 5 },
    })
    gate.resolve()
    expect(await Promise.all(admitted)).toEqual(Array.from({ length: 5 }, () => 'done'))
    expect(most).toBe(2)
    expect(await admit(async () => 'again')).toBe('again')
  })

  it('makes room again after work that failed', async () => {
    const one = createAdmission(1, 1)
    await expect(one(async () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
    expect(await one(async () => 1)).toBe(1)
  })
})
