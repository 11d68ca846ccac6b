import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  writeSlackCursor,
  unknownOlder,
  type SlackChannelState,
  type SlackState,
  type SlackStretch,
} from '../reading/cursor.ts'
import { addToTally, emptyTally, markOf } from './marks.ts'
import { joinOlder, noteLeaving } from './older.ts'
import { tsOfHour } from '../reading/messages.ts'
import { joinStretches, splitOlder, stretchOf, unknownStretch } from './stretches.ts'

/** Every third one is a thread's root. */
const message = (ts: string) => ({
  ts,
  text: `said at ${ts}`,
  ...(Number(ts) % 3 === 0 ? { reply_count: 1 } : {}),
})
const tallyOf = (messages: Parameters<typeof addToTally>[1]) => {
  const tally = emptyTally()
  addToTally(tally, messages)
  return tally
}

describe('the marks of messages', () => {
  it.each([
    ['its text', { text: 'other' }],
    ['an edit', { edited: { ts: '2.000000' } }],
    ['its turning into what the system says', { subtype: 'tombstone' }],
    ['the number of its replies', { reply_count: 3 }],
    ['the time of the last reply', { latest_reply: '9.000000' }],
    ['the title of a file', { files: [{ title: 'b', name: 'x' }] }],
    ['the text of an attachment', { attachments: [{ title: 'a', text: 'other' }] }],
  ])('change with %s', (_what, change) => {
    const before = {
      ...message('1.000000'),
      reply_count: 2,
      latest_reply: '8.000000',
      files: [{ title: 'a', name: 'x' }],
      attachments: [{ title: 'a', text: 'b' }],
    }
    const after = { ...before, ...change }
    expect(markOf([after])).not.toBe(markOf([before]))
    expect(stretchOf(0, tallyOf([after]))).not.toEqual(stretchOf(0, tallyOf([before])))
  })

  it('match those of an earlier version, for a message without files and attachments', () => {
    expect(markOf([{ ts: '1700000000.000100', text: 'hello', reply_count: 2 }])).toBe('va-hvpJFQryu')
  })
})

/** The stretches' share of the saved cursor, in characters. */
function savedLength(state: SlackState): number {
  const length = () => JSON.stringify(writeSlackCursor(state)).length
  const whole = length()
  for (const { older } of Object.values(state.channels)) older.stretches = []
  return whole - length()
}

describe('stretches', () => {
  it('combine their marks when joined, and unknown ones stay unknown', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 8 }), { maxLength: 12 }), fc.nat({ max: 20 }), (sizes, largest) => {
        let id = 0
        const groups = sizes.map((size) => Array.from({ length: size }, () => message(String((id += 1)))))
        const stretches = groups.map((group, index) => stretchOf(sizes.length - 1 - index, tallyOf(group)))
        const joined = joinStretches(stretches, largest)
        let before = sizes.length
        for (const stretch of joined) {
          const { from, count } = stretch
          const inside = groups.filter((_group, index) => {
            const hour = sizes.length - 1 - index
            return hour >= from && hour < before
          })
          expect(stretch).toEqual(stretchOf(from, tallyOf(inside.flat())))
          expect(inside.length === 1 || count <= largest).toBe(true)
          before = from
        }
        expect(before).toBe(0)
      }),
    )
    const unknown: SlackStretch = unknownStretch(5)
    const known = stretchOf(3, tallyOf([message('1')]))
    expect(joinStretches([unknown, known, unknownStretch(1), unknownStretch(0)], 100)).toEqual([
      unknown,
      known,
      unknownStretch(0),
    ])
  })

  it('reach from the look-back to the beginning, with unknown parts marked', () => {
    const known = stretchOf(10, tallyOf([message('1')]))
    const older = { ...unknownOlder(), to: 20, stretches: [known] }
    const regions = splitOlder(older, 25).below.map(({ from, before, mark }) => [from, before, mark === ''])
    expect(regions).toEqual([
      [20, 25, true],
      [10, 20, false],
      [0, 10, true],
    ])
    const cut = splitOlder(older, 15)
    expect(cut.above).toEqual([unknownStretch(15)])
    expect(cut.below.map(({ from, before, mark }) => [from, before, mark])).toEqual([
      [10, 15, ''],
      [0, 10, ''],
    ])
    expect(splitOlder(unknownOlder(), 0).below).toEqual([])
  })

  it('absorb what leaves the look-back only if it follows on them', () => {
    const block = { from: tsOfHour(12), messages: [message(tsOfHour(12))] }
    const leaving = { from: tsOfHour(10), to: tsOfHour(14), blocks: [block] }
    const following = { ...unknownOlder(), to: 10, stretches: [stretchOf(0, tallyOf([]))] }
    noteLeaving(following, leaving)
    expect(following.to).toBe(14)
    expect(following.stretches).toEqual([stretchOf(10, tallyOf(block.messages)), stretchOf(0, tallyOf([]))])
    const apart = { ...unknownOlder(), to: 8, stretches: [stretchOf(0, tallyOf([]))] }
    noteLeaving(apart, leaving)
    expect(apart).toMatchObject({ to: 8, stretches: [stretchOf(0, tallyOf([]))] })
  })

  it('take less than 100 KB of the cursor for a thousand channels and a million messages', () => {
    const mark = 'abcdefabcdef'
    const channel = (): SlackChannelState => ({
      name: 'general',
      isPrivate: null,
      newest: '1700000000.000100',
      backfill: null,
      window: mark,
      unwatched: {},
      older: {
        to: 472_222,
        next: 0,
        turn: 90_000,
        stretches: Array.from({ length: 250 }, (_unused, index) => ({
          from: 472_000 - index,
          count: 4,
          mark,
          roots: mark,
        })),
      },
      left: false,
    })
    const channels = Object.fromEntries(
      Array.from({ length: 1_000 }, (_unused, index) => [`C${index}`, channel()]),
    )
    const state: SlackState = {
      version: 1,
      install: '',
      allowlist: '',
      crawl: false,
      polledAt: 0,
      channels,
      threads: {},
    }
    joinOlder(state)
    const stretches = Object.values(state.channels).flatMap(({ older }) => older.stretches)
    expect(stretches.reduce((sum, { count }) => sum + count, 0)).toBe(1_000_000)
    expect(savedLength(state)).toBeLessThan(100_000)
  })
})
