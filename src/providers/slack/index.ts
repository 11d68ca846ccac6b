import { defineProvider, type Provider } from '../provider.ts'
import { required, secretSetting, urlSetting } from '../settings.ts'
import { SLACK_SYSTEM_SUBTYPES } from './reading/messages.ts'
import { readSlackRequest } from './webhook.ts'

export const slack: Provider<'slack'> = defineProvider({
  id: 'slack',
  name: 'Slack',
  brings: 'Messages and threads of the channels that its bot is invited to.',
  icon: 'M10 4 8 20M16 4l-2 16M4.5 9h16M3.5 15h16',
  color: '#7a3d80',
  settings: {
    SLACK_CLIENT_ID: secretSetting.describe(
      "Slack app's client ID. With the secret, the console offers Slack",
    ),
    SLACK_CLIENT_SECRET: secretSetting.describe("Slack app's client secret"),
    SLACK_SIGNING_SECRET: secretSetting.describe("Slack app's signing secret, for its events"),
    SLACK_API_URL: urlSetting.describe('Replaces https://slack.com/api, for tests and gateways'),
  },
  client: { id: 'SLACK_CLIENT_ID', secret: 'SLACK_CLIENT_SECRET' },
  hasChannels: true,
  reportsReaders: true,
  // Revoking one deactivates the app's bot in the workspace, for every user who installed it
  // (docs.slack.dev/reference/methods/auth.revoke).
  grants: { family: 'slack' },
  async createAdapter(settings, { clock }) {
    const { createSlackAdapter } = await import('./adapter.ts')
    return createSlackAdapter({
      clientId: required(settings.SLACK_CLIENT_ID, 'SLACK_CLIENT_ID'),
      clientSecret: required(settings.SLACK_CLIENT_SECRET, 'SLACK_CLIENT_SECRET'),
      apiUrl: settings.SLACK_API_URL ?? 'https://slack.com/api',
      now: () => clock.now(),
    })
  },
  webhook: {
    operationId: 'receiveSlackEvents',
    summary: "Receive events from Slack's Events API",
    description:
      "Signed by Slack (`X-Slack-Signature`). The source's next run reads what an event announces.",
    read: (request, settings, now) => readSlackRequest(request, settings.SLACK_SIGNING_SECRET, now),
  },
  cleanUps: [
    {
      operationId: 'cleanUpSlackSystemEvents',
      name: 'cleanup-system-events',
      summary: 'Delete Slack system messages that were stored as content',
      description: 'With `dryRun`, nothing is deleted; `deleted` is the number of messages that would be.',
      sourceKind: 'message',
      subtypes: SLACK_SYSTEM_SUBTYPES,
      // Slack's text when a user joins or leaves, for messages stored without their subtype.
      shortBody: '^<?@[^\\n>]{1,80}>? has (joined|left) the (channel|group)\\.?$',
    },
  ],
})
