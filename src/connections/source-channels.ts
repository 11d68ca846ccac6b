import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../kernel/errors.ts'
import { ProviderError } from '../providers/index.ts'
import { type SourceChannels } from '../sources/index.ts'
import type { OpenProviderAccount } from './open-account.ts'

/** A user waits for the answer, so the limits on waiting are short. */
const LIMITS = { requestTimeoutMs: 15_000, maxRateLimitWaitMs: 5_000, maxAttempts: 2 }

/** Lists a source's channels at its provider. @throws AppError `not_configured`, `upstream_error` */
export function createChannels(deps: { openAccount: OpenProviderAccount }): SourceChannels {
  return {
    async list({ organizationId }, source, signal) {
      try {
        const { adapter, session } = await deps.openAccount(
          { organizationId, sourceId: source.id, ...source },
          {
            signal,
            wait: (ms) => sleep(ms, undefined, { signal }),
            storedIds: async () => [],
            limits: LIMITS,
          },
        )
        return (await adapter.listChannels?.(session)) ?? []
      } catch (error) {
        if (!(error instanceof ProviderError)) throw error
        throw new AppError('upstream_error', `${source.provider} answered: ${error.message}`, {
          cause: error,
        })
      }
    },
  }
}
