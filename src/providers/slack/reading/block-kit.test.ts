import { afterEach, describe, expect, it } from 'vitest'
import { closeSlack, connectSlack } from '../../../../test/support/slack.ts'
import { isContent, readMessages } from './messages.ts'

const ts = '1700000000.000100'
const readOne = (message: Record<string, unknown>) => readMessages([{ ts, ...message }])[0]
const richText = (elements: unknown[]) => ({ type: 'rich_text', elements })
const section = (elements: unknown[]) => ({ type: 'rich_text_section', elements })

afterEach(closeSlack)

describe('a message of blocks', () => {
  it('is stored with the names of the users that it and its attachments mention', async () => {
    const { slack, sync, channel } = await connectSlack({ seed: { messagesPerChannel: 0 } })
    const [ana, ben] = slack.state.users().map(({ id }) => id)
    const blocks = [{ type: 'section', text: { type: 'mrkdwn', text: `Paged <@${ana}>` } }]
    const attachments = [{ text: `for <@${ben}>` }]
    const messages = [{ ts, text: 'An alert', blocks, attachments, bot_profile: { name: 'Pager' } }]
    const body = { ok: true, messages, has_more: false }
    slack.faults.add({ path: 'conversations.history', contains: channel(0), status: 200, body })
    await sync.run()
    expect(sync.bodies()).toEqual(['Paged @Ana Lima\nfor @Ben Lima'])
  })

  it('has the text of a message that it shares if that is public, otherwise its link', async () => {
    const { slack, sync, channel } = await connectSlack({
      scopes: 'groups:read,groups:history,channels:join,channels:read,channels:history,users:read',
      seed: { messagesPerChannel: 0, channels: 2 },
    })
    const board = slack.state.addChannel({ name: 'board', isPrivate: true, isMember: true, members: [] })
    const attachments = [board, channel(1)].map((channel_id) => ({
      is_msg_unfurl: true,
      channel_id,
      from_url: `https://acme.slack.com/archives/${channel_id}/p1`,
      text: `said in ${channel_id}`,
    }))
    const body = { ok: true, messages: [{ ts, text: 'Look', attachments }], has_more: false }
    slack.faults.add({ path: 'conversations.history', contains: channel(0), status: 200, body })
    await sync.run()
    expect(sync.bodies()).toEqual([
      `Look\nhttps://acme.slack.com/archives/${board}/p1\nsaid in ${channel(1)}`,
    ])
  })

  it('shows their text instead of the one for notifications', () => {
    const blocks = [
      { type: 'header', text: { type: 'plain_text', text: 'Deploy <failed>' } },
      { type: 'divider' },
      {
        type: 'section',
        text: { type: 'mrkdwn', text: '*api* by <@U1>, <https://ci.example|log>' },
        fields: [{ type: 'mrkdwn', text: '*Region*\neu-1' }],
        accessory: { type: 'button', text: { type: 'plain_text', text: 'Retry' } },
      },
      {
        type: 'context',
        elements: [
          { type: 'image', alt_text: 'logo' },
          { type: 'mrkdwn', text: 'at noon' },
        ],
      },
      { type: 'actions', elements: [{ type: 'button', text: { type: 'plain_text', text: 'Stop' } }] },
      { type: 'image', title: { type: 'plain_text', text: 'Errors' }, alt_text: 'a rising line' },
      { type: 'markdown', text: 'a & b' },
    ]
    expect(readOne({ text: 'This content cannot be displayed', blocks })?.text).toBe(
      [
        'Deploy &lt;failed&gt;',
        '*api* by <@U1>, <https://ci.example|log>',
        '*Region*\neu-1',
        'logo at noon',
        'Errors',
        'a &amp; b',
      ].join('\n'),
    )
  })

  it('shows tables with the text around them', () => {
    const cell = (text: string) => ({ type: 'raw_text', text })
    const blocks = [
      richText([section([{ type: 'text', text: 'Fares:' }])]),
      {
        type: 'table',
        rows: [
          [cell('City'), cell('Fare')],
          [richText([section([cell('Rome')])]), cell('12')],
        ],
      },
    ]
    expect(readOne({ text: 'Fares:', blocks })?.text).toBe('Fares:\n- City: Rome; Fare: 12')
  })

  it('shows the cells of a table without column names, and each row on one line', () => {
    const cell = (text: string) => ({ type: 'raw_text', text })
    const list = { type: 'rich_text_list', elements: [section([cell('12')]), section([cell('15')])] }
    const blocks = [
      { type: 'table', rows: [[cell('Rome'), richText([list])], [cell('Oslo'), cell('9')], []] },
    ]
    expect(readOne({ text: '', blocks })?.text).toBe('Rome | • 12 • 15\nOslo | 9')
  })

  it('of rich text only has its own text, if there is one', () => {
    const blocks = [
      richText([
        section([
          { type: 'text', text: 'ask ' },
          { type: 'user', user_id: 'U1' },
          { type: 'text', text: ' in ' },
          { type: 'channel', channel_id: 'C1' },
          { type: 'usergroup', usergroup_id: 'S1' },
          { type: 'emoji', name: 'wave' },
          { type: 'link', url: 'https://x.example', text: 'here' },
        ]),
        { type: 'rich_text_list', elements: [section([{ type: 'text', text: 'one' }]), section([])] },
        { type: 'rich_text_preformatted', elements: [{ type: 'text', text: 'x = 1' }] },
      ]),
    ]
    expect(readOne({ text: 'as typed', blocks })?.text).toBe('as typed')
    expect(readOne({ text: '', blocks })?.text).toBe(
      'ask <@U1> in <#C1><!subteam^S1>:wave:<https://x.example|here>\n• one\nx = 1',
    )
  })

  it('shows all of an attachment', () => {
    const attachments = [
      {
        pretext: 'New alert',
        title: 'CPU',
        text: '',
        fallback: 'CPU is high',
        fields: [{ title: 'Host', value: 'db-1' }, { value: '97 %' }, null],
      },
      { fallback: 'only this', text: '' },
      { blocks: [{ type: 'section', text: { type: 'mrkdwn', text: 'from blocks' } }] },
    ]
    const message = readOne({ text: '', attachments })
    expect(message?.attachments).toEqual([
      { title: 'CPU', text: 'New alert\nHost: db-1\n97 %', fallback: 'CPU is high' },
      { fallback: 'only this' },
      { text: 'from blocks' },
    ])
    expect(message && isContent(message)).toBe(true)
  })

  it.each([
    ['no list', 'x'],
    ['nothing known', [null, 1, {}, { type: 'hologram', text: 'x' }, { type: 'section', text: 7 }]],
    [
      'endless nesting',
      Array.from({ length: 9_000 }).reduce<unknown>((inner) => [richText([inner])], [richText([])]),
    ],
  ])('with %s has its own text', (_what, blocks) => {
    expect(readOne({ text: 'as typed', blocks })).toEqual({ ts, text: 'as typed' })
  })
})
