import { AppError } from '../../../src/kernel/errors.ts'
import { defineProvider, type Provider } from '../../../src/providers/provider.ts'
import { secretSetting } from '../../../src/providers/settings.ts'
import type { ChangePage, OAuthAdapter } from '../../../src/providers/index.ts'

/** Its notes by id: the content of a run. */
export const notes = new Map<string, string>()

/** A provider that no product has: everything a fifth one must be. */
export const madeUp: Provider<'made_up'> = defineProvider({
  id: 'made_up',
  name: 'Made Up',
  brings: 'What a test makes up.',
  icon: 'M6 3h8l4 4v14H6zM9 12h6M9 16h6',
  color: '#5b6270',
  settings: {
    MADE_UP_CLIENT_ID: secretSetting.describe('Its client id'),
    MADE_UP_CLIENT_SECRET: secretSetting.describe('Its client secret'),
    MADE_UP_SIGNATURE: secretSetting.describe('What its webhook is signed with'),
  },
  client: { id: 'MADE_UP_CLIENT_ID', secret: 'MADE_UP_CLIENT_SECRET' },
  isGated: true,
  reportsReaders: true,
  grants: { family: 'made_up' },
  createAdapter: async ({ MADE_UP_CLIENT_ID }) => createMadeUpAdapter(MADE_UP_CLIENT_ID ?? ''),
  webhook: {
    operationId: 'receiveMadeUpEvents',
    summary: 'Take its events',
    description: 'Signed with a word.',
    read({ headers }, { MADE_UP_SIGNATURE }) {
      if (headers['x-made-up'] !== MADE_UP_SIGNATURE) throw new AppError('unauthenticated', 'not signed')
      return { kind: 'changed', accountId: 'account', eventId: String(headers['x-event']), hints: [] }
    },
  },
  cleanUps: [
    {
      operationId: 'cleanUpMadeUpNoise',
      name: 'noise',
      summary: 'Remove its noise',
      description: 'What is no content.',
      sourceKind: 'document',
      subtypes: ['noise'],
      shortBody: '^noise$',
    },
  ],
  policyHealth: ({ files }) => ({ status: 'ok', files }),
})

function createMadeUpAdapter(clientId: string): OAuthAdapter {
  return {
    provider: 'made_up',
    authorizeUrl: ({ state }) => `https://made-up.example/${clientId}?state=${state}`,
    exchangeCode: async ({ code }) => ({
      externalAccountId: 'account',
      displayName: 'Account',
      credentials: { accessToken: code, refreshToken: null, expiresAt: null, scopes: [] },
    }),
    refresh: async (credentials) => credentials,
    revoke: async () => {},
    async *listChanges(): AsyncGenerator<ChangePage> {
      const upserts = [...notes].map(([externalId, body]) => ({
        externalId,
        sourceKind: 'document' as const,
        title: externalId,
        body,
        url: null,
        authorName: null,
        sourceCreatedAt: null,
        sourceUpdatedAt: null,
        metadata: {},
      }))
      const found = { upserts, deletions: [], failures: [], discovered: upserts.length }
      yield { ...found, cursor: null, complete: true, snapshot: 'all' }
    },
  }
}
