import { describe, expect, it } from 'vitest'
import { isLoopback } from './loopback.ts'

describe('a loopback host', () => {
  it.each(['localhost', 'LOCALHOST', '127.0.0.1', '127.8.9.10', '::1', '[::1]'])('is %s', (host) => {
    expect(isLoopback(host)).toBe(true)
  })

  it.each([
    '',
    '0.0.0.0',
    '::',
    '10.0.0.1',
    '127.evil.example',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    'memory.example.com',
    '[::1].example',
    '1270.0.1',
  ])('is not %j', (host) => {
    expect(isLoopback(host)).toBe(false)
  })
})
