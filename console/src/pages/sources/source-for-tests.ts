import type { Source } from './source-words.ts'

/** A push-only source as the API lists it. */
export function sourceForTests(given: Pick<Source, 'provider'> & Partial<Source>): Source {
  return {
    id: '0d5cfbf2-53a1-4b2e-8a41-6d8f0a3f8f43',
    status: 'active',
    displayName: 'Gmail (push)',
    externalAccountId: 'push:1',
    lastSyncedAt: null,
    errorMessage: null,
    channelAllowlist: null,
    sourceItemCount: 0,
    policyHealth: null,
    createdAt: '2026-03-02T09:30:00.000Z',
    updatedAt: '2026-03-02T09:30:00.000Z',
    ...given,
  }
}
