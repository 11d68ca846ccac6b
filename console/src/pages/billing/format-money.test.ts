import { describe, expect, it } from 'vitest'
import { formatMoney } from './format-money.ts'

describe('an amount of money', () => {
  it('is divided by the minor units of its currency', () => {
    expect(formatMoney(9_900, 'usd')).toBe('$99.00')
    expect(formatMoney(9_900, 'jpy')).toBe('¥9,900')
  })
})
