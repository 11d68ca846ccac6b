import { describe, expect, it } from 'vitest'
import { usageBars } from './usage-bars.ts'

const entry = { date: '2026-03-02', apiKeyId: null, userId: null, isMcp: false, requests: 1 } as const

describe('the bars of usage', () => {
  it('include days without use', () => {
    const { days, highest } = usageBars(
      { from: '2026-02-27', to: '2026-03-02', days: [] },
      'surface',
      'credits',
    )
    expect(days.map(({ date, total }) => [date, total])).toEqual([
      ['2026-02-27', 0],
      ['2026-02-28', 0],
      ['2026-03-01', 0],
      ['2026-03-02', 0],
    ])
    expect(highest).toBe(1)
  })

  it('include every caller', () => {
    const days = Array.from({ length: 20 }, (_, at) => ({
      ...entry,
      name: `key ${at}`,
      surface: 'search' as const,
      credits: at + 1,
    }))
    const bars = usageBars({ from: '2026-03-02', to: '2026-03-02', days }, 'caller', 'credits')
    expect(bars.series.map(({ name }) => name)).toEqual([
      'key 19',
      'key 18',
      'key 17',
      'key 16',
      'key 15',
      'Others',
    ])
    expect(bars.days[0]?.total).toBe(210)
    expect(bars.series.reduce((sum, { amount }) => sum + amount, 0)).toBe(210)
    const asked = usageBars({ from: '2026-03-02', to: '2026-03-02', days }, 'caller', 'requests')
    expect(asked.days[0]?.total).toBe(20)
  })

  it('distinguish answers over MCP', () => {
    const days = [
      { ...entry, name: 'one', surface: 'search' as const, credits: 2 },
      { ...entry, name: 'one', surface: 'search' as const, isMcp: true, credits: 3 },
    ]
    expect(usageBars({ from: '2026-03-02', to: '2026-03-02', days }, 'surface', 'credits').series).toEqual([
      { name: 'search by MCP', amount: 3 },
      { name: 'search', amount: 2 },
    ])
  })
})
