import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { periodAt } from './period.ts'

const boundaries = (anchor: string, from: string, count: number): string[] => {
  const starts: string[] = []
  for (let at = new Date(from); starts.length < count; at = periodAt(new Date(anchor), at).end)
    starts.push(periodAt(new Date(anchor), at).start.toISOString().slice(0, 16))
  return starts
}

describe('billing periods', () => {
  it("begin on the last day of a month without the anchor's day, and do not drift", () => {
    expect(boundaries('2028-01-31T10:00Z', '2028-01-31T10:00Z', 5)).toEqual([
      '2028-01-31T10:00',
      '2028-02-29T10:00',
      '2028-03-31T10:00',
      '2028-04-30T10:00',
      '2028-05-31T10:00',
    ])
    expect(boundaries('2026-12-30T00:00Z', '2026-12-30T00:00Z', 4)).toEqual([
      '2026-12-30T00:00',
      '2027-01-30T00:00',
      '2027-02-28T00:00',
      '2027-03-30T00:00',
    ])
  })

  it('end when the next one begins, to the millisecond', () => {
    const anchor = new Date('2026-01-31T10:00:00.000Z')
    expect(periodAt(anchor, new Date('2026-02-28T09:59:59.999Z')).end).toEqual(
      new Date('2026-02-28T10:00:00.000Z'),
    )
    expect(periodAt(anchor, new Date('2026-02-28T10:00:00.000Z')).start).toEqual(
      new Date('2026-02-28T10:00:00.000Z'),
    )
  })

  it("cover every moment from the anchor, each 28 to 31 days long, at the anchor's time of day", () => {
    const moment = fc.date({
      min: new Date('2000-01-01T00:00:00Z'),
      max: new Date('2100-01-01T00:00:00Z'),
      noInvalidDate: true,
    })
    fc.assert(
      fc.property(moment, moment, (one, two) => {
        const [anchor, at] = one <= two ? [one, two] : [two, one]
        const { start, end } = periodAt(anchor, at)
        expect(start <= at && at < end && anchor <= start).toBe(true)
        const days = (end.getTime() - start.getTime()) / 86_400_000
        expect([28, 29, 30, 31]).toContain(days)
        expect(periodAt(anchor, end).start).toEqual(end)
      }),
      { numRuns: 2_000 },
    )
  })
})
