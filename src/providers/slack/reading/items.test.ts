import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  conversationItem,
  gatherConversations,
  slackItemId,
  threadItem,
  channelIdRange,
  type ItemContext,
} from './items.ts'
import {
  blockEnd,
  blockStart,
  isContent,
  readMessages,
  toTs,
  tsBefore,
  tsDate,
  type SlackMessage,
} from './messages.ts'
import { mrkdwnToText } from './mrkdwn.ts'

const names = {
  user: (id: string) => (id === 'U1' ? 'Ana Lima' : id),
  channel: (id: string) => (id === 'C1' ? 'general' : id),
}
const context: ItemContext = {
  workspace: { id: 'T1', name: 'Acme', url: 'https://acme.slack.com/' },
  channel: { id: 'C1', name: 'general', isPrivate: false },
  people: {
    ...names,
    isPublic: (id) => id === 'C2',
    author: (message) => ({ name: names.user(message.user ?? '?'), email: null }),
  },
  maxTextBytes: 1000,
}
const at = (seconds: number, text = `at ${seconds}`): SlackMessage => ({
  ts: toTs(1_700_000_400 + seconds),
  user: 'U1',
  text,
})

describe('mrkdwn as text', () => {
  it.each([
    ['<@U1> and <@U2|ben> and <@U3>', '@Ana Lima and @ben and @U3'],
    ['<#C1> <#C2|random>', '#general #random'],
    ['<!here> <!subteam^S1|@ops> <!subteam^S1> <!date^1700000000^{date}|Nov 14>', '@here @ops @S1 Nov 14'],
    [
      '<https://x.example|here> <https://y.example> <mailto:a@b.example|a@b.example>',
      'here (https://x.example) https://y.example a@b.example',
    ],
    ['1 &lt; 2 &amp;&amp; &amp;lt;', '1 < 2 && &lt;'],
    ['a < b > c', 'a < b > c'],
  ])('%s', (text, expected) => {
    expect(mrkdwnToText(text, names)).toBe(expected)
  })
})

describe('files and attachments', () => {
  it('show whatever names and text they have', () => {
    const files = [{ title: '', name: 'a<b> & c.txt' }, { name: ' ' }, {}]
    const message = { ...at(0, ''), files, attachments: [{ title: 'T', fallback: 'x &amp; y' }] }
    expect(conversationItem(context, [message]).body).toBe('Ana Lima: T: x & y\n  [file: a<b> & c.txt]')
    expect([isContent(message), isContent({ ...at(0, ' '), files: [{}] })]).toEqual([true, false])
  })
})

const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text } })

describe('a message that repeats another one', () => {
  const bodyOf = (attachment: object): string => {
    const [message] = readMessages([{ ...at(0, 'Look'), attachments: [attachment] }])
    return message ? conversationItem(context, [message]).body : ''
  }
  const from_url = 'https://acme.slack.com/archives/C9/p1700000000000100'
  const shared = { is_msg_unfurl: true, author_name: 'Melissa', text: 'The salaries', from_url }

  it.each([
    ['the same channel', 'C1'],
    ['a public channel', 'C2'],
  ])('of %s shows it with its author', (_name, channel_id) => {
    expect(bodyOf({ ...shared, channel_id })).toBe('Ana Lima: Look\n  Melissa: The salaries')
  })

  // The bot sees what it can open; other readers of the channel may not.
  it.each([
    [
      'a private channel or a direct message',
      { channel_id: 'C9', fallback: '[Nov 14] Melissa: The salaries' },
    ],
    ['an unknown channel', { is_msg_unfurl: false, is_share: true }],
    [
      'a private channel, in blocks',
      { channel_id: 'C9', text: undefined, blocks: [section('The salaries')] },
    ],
  ])('of %s shows its link only', (_name, more) => {
    expect(bodyOf({ ...shared, ...more })).toBe(`Look\n${from_url}`)
  })
})

describe('conversations', () => {
  it('end after a pause of five minutes', () => {
    const gathered = gatherConversations([at(0), at(300), at(601), at(602)])
    expect(gathered.map((conversation) => conversation.length)).toEqual([2, 2])
  })

  it('exclude threads, replies and system events', () => {
    const root = { ...at(10), reply_count: 2, thread_ts: at(10).ts }
    const reply = { ...at(20), thread_ts: at(10).ts, subtype: 'thread_broadcast' }
    const joined = { ...at(30), subtype: 'channel_join' }
    expect(gatherConversations([at(0), root, reply, joined, at(40)])).toEqual([[at(0), at(40)]])
  })

  it('hold each message once, in any order of arrival, and at most a page of text', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(3000), { maxLength: 40 }), fc.nat(3000), (times, size) => {
        const messages = times.map((time) => at(time, 'x'.repeat(size + 1)))
        const gathered = gatherConversations(messages)
        const sorted = messages.toSorted((left, right) => (left.ts < right.ts ? -1 : 1))
        expect(gathered.flat()).toEqual(sorted)
        expect(gatherConversations(sorted)).toEqual(gathered)
        for (const conversation of gathered) {
          expect(conversation.length === 1 || conversation.length * (size + 1) <= 4000).toBe(true)
        }
      }),
      { numRuns: 50 },
    )
  })
})

describe('items', () => {
  it('name each author, except for a lone message', () => {
    expect(conversationItem(context, [at(0, 'hello')]).body).toBe('hello')
    expect(conversationItem(context, [at(0, 'hello'), at(1, 'there')]).body).toBe(
      'Ana Lima: hello\nAna Lima: there',
    )
  })

  it('include attachments and the names of files', () => {
    const message = {
      ...at(0, 'look'),
      files: [{ name: 'plan.pdf' }],
      attachments: [{ title: 'Build', text: 'passed' }],
    }
    expect(conversationItem(context, [message]).body).toBe(
      'Ana Lima: look\n  Build: passed\n  [file: plan.pdf]',
    )
  })

  it('are cut between characters at the longest body', () => {
    const item = conversationItem({ ...context, maxTextBytes: 10 }, [at(0, 'ab🙂🙂🙂🙂')])
    expect(item.body).toBe('ab🙂🙂')
  })

  it('of a thread are null when nothing of it is left', () => {
    expect(threadItem(context, at(0).ts, [{ ...at(0), subtype: 'tombstone' }])).toBeNull()
    expect(threadItem(context, at(0).ts, [])).toBeNull()
  })

  it("have ids within their channel's range and no other's", () => {
    const { from, to } = channelIdRange('T1', 'C1')
    const inRange = (id: string) => id >= from && id < to
    expect(inRange(slackItemId('T1', 'C1', '9999999999.999999'))).toBe(true)
    expect(inRange(slackItemId('T1', 'C1A', '1700000000.000000'))).toBe(false)
    expect(inRange(slackItemId('T1', 'C2', '1700000000.000000'))).toBe(false)
  })

  it('treat an empty message as no content', () => {
    expect(isContent({ ts: '1.0', text: '  ' })).toBe(false)
    expect(isContent({ ts: '1.0', files: [{ title: 'x' }] })).toBe(true)
  })
})

describe('ts', () => {
  it('falls into exactly one block', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1_000_000_000, max: 2_000_000_000 }),
        fc.nat(999_999),
        (seconds, micros) => {
          const ts = `${seconds}.${String(micros).padStart(6, '0')}`
          expect(blockStart(ts) <= ts && ts < blockEnd(ts)).toBe(true)
          expect(tsBefore(ts) < ts).toBe(true)
          expect(Math.abs(tsDate(ts).getTime() - seconds * 1000 - micros / 1000)).toBeLessThanOrEqual(1)
        },
      ),
    )
  })
})
