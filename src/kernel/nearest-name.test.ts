import { describe, expect, it } from 'vitest'
import { nearestName } from './nearest-name.ts'

const KNOWN = ['query', 'limit', 'filter', 'connectorId', 'allowedActions']

describe('the nearest name', () => {
  it.each([
    ['quary', 'query'],
    ['qurey', 'query'],
    ['Limits', 'limit'],
    ['connector_id', 'connectorId'],
    ['connectorID', 'connectorId'],
    ['allowed-action', 'allowedActions'],
  ])('of %s is %s', (misspelt, right) => {
    expect(nearestName(misspelt, KNOWN)).toBe(right)
  })

  it.each(['text', 'x', '', '__proto__', 'toString', 'q'.repeat(1_000_000)])(
    'does not exist for %.20s',
    (misspelt) => {
      expect(nearestName(misspelt, KNOWN)).toBeUndefined()
    },
  )
})
