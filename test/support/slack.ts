import {
  startSlackEmulator,
  type SlackEmulator,
  type SlackEmulatorOptions,
} from '../../emulators/slack/index.ts'
import { createSlackAdapter } from '../../src/providers/slack/adapter.ts'
import type { JsonValue, OAuthAdapter } from '../../src/providers/adapter.ts'
import { createProviderHarness, type HarnessOptions, type ProviderHarness } from './provider-harness.ts'

/** The initial time of a test's clock. */
export const SLACK_NOW = Date.UTC(2026, 0, 20)
const SMALL = { channels: 3, messagesPerChannel: 40, users: 9, threadShare: 0.3, days: 20 }
const open: SlackEmulator[] = []

export async function closeSlack(): Promise<void> {
  await Promise.all(open.splice(0).map((emulator) => emulator.close()))
}

export interface ConnectedSlack {
  slack: SlackEmulator
  sync: ProviderHarness
  adapter: OAuthAdapter
  /** The id of the n-th channel. */
  channel: (index: number) => string
}

/** A small emulated workspace with a connected adapter; both use the harness's clock. */
export async function connectSlack(
  options: SlackEmulatorOptions & {
    pageSize?: number
    itemsPerPage?: number
    verifiedMessages?: number
    watchedThreads?: number
    /** Replaces the saved cursor, once there is one. */
    changeCursor?: (cursor: JsonValue) => JsonValue
    harness?: Partial<HarnessOptions>
  } = {},
): Promise<ConnectedSlack> {
  const clock: { harness: ProviderHarness | null } = { harness: null }
  const now = () => clock.harness?.now ?? SLACK_NOW
  const slack = await startSlackEmulator({ now, ...options, seed: { ...SMALL, ...options.seed } })
  open.push(slack)
  const { SLACK_CLIENT_ID: clientId = '', SLACK_CLIENT_SECRET: clientSecret = '' } = slack.env
  const apiUrl = slack.env['SLACK_API_URL'] ?? ''
  const adapter = createSlackAdapter({
    clientId,
    clientSecret,
    apiUrl,
    pageSize: options.pageSize ?? 999,
    itemsPerPage: options.itemsPerPage ?? 100,
    verifiedMessages: options.verifiedMessages ?? 20_000,
    watchedThreads: options.watchedThreads ?? 3_000,
  })
  const { changeCursor = (cursor) => cursor } = options
  const scopes = options.scopes ?? 'groups:read,groups:history,channels:join,channels:read,users:read'
  const grant = slack.grants.issue(slack.team.id, scopes)
  const sync = createProviderHarness({
    adapter: {
      ...adapter,
      listChanges: (session, input) => {
        const cursor = input.cursor === null ? null : changeCursor(input.cursor)
        return adapter.listChanges(session, { ...input, cursor })
      },
    },
    accessToken: () => grant.accessToken,
    account: { externalAccountId: slack.team.id, displayName: 'Acme' },
    now: SLACK_NOW,
    ...options.harness,
  })
  clock.harness = sync
  const channel = (index: number) => slack.state.channels()[index]?.id ?? ''
  return { slack, sync, adapter, channel }
}

/** Differences between what is readable in the workspace and what is stored; empty when equal. */
export function differences(slack: SlackEmulator, sync: ProviderHarness): string[] {
  const stored = sync.bodies().join('\n')
  const readable = slack.state
    .channels()
    .flatMap(({ id }) => slack.state.allMessages(id))
    .filter((message) => !message.subtype)
  const count = [...sync.items.values()].reduce((sum, item) => sum + Number(item.metadata['messageCount']), 0)
  const missing = readable.filter((message) => !stored.includes(longestPlainPart(message.text)))
  return [
    ...(count === readable.length ? [] : [`${readable.length} messages can be read, ${count} are stored`]),
    ...missing.map((message) => `missing: ${message.text}`),
  ]
}

/** The longest part of a text without mentions and links. */
function longestPlainPart(text: string): string {
  const parts = text.split(/<[^>]*>/)
  return parts.toSorted((left, right) => right.length - left.length)[0]?.trim() ?? ''
}

/** The items whose body contains a text. */
export const findItems = (sync: ProviderHarness, text: string) =>
  [...sync.items.values()].filter((item) => item.body.includes(text))
