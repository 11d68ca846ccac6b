import type { CreditUse } from '../../src/http/gates.ts'

/** A search by a key of an organization, always the same one unless another is named: what a credit of a test is for. */
export function aSearch(organizationId: string, apiKeyId = organizationId): CreditUse {
  return {
    caller: {
      kind: 'agent',
      organizationId,
      apiKeyId,
      actorType: 'agent',
      allowedActions: ['search'],
      allowedProviders: null,
    },
    surface: 'search',
    isMcp: false,
  }
}
