import type { Db } from '../database/database.ts'
import { transact } from '../database/retry-conflicts.ts'
import type { Clock } from '../kernel/clock.ts'
import { AppError } from '../kernel/errors.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import { findProvider, type ProviderEnvironment } from '../providers/index.ts'
import { announcePermissionChange } from '../permission-polls/index.ts'
import { failSource, findSourcesOf } from '../sources/index.ts'
import { notePushEvent } from '../sync/index.ts'

export interface IncomingWebhooks {
  /** Stores a provider's events for a later run. @returns the challenge to answer, if any @throws AppError */
  receive(
    provider: ProviderId,
    request: { headers: Readonly<Record<string, string | string[] | undefined>>; rawBody: Buffer },
  ): Promise<string | null>
}

/** Stores providers' events for every source of the affected account. */
export function createIncomingWebhooks(deps: {
  db: Db
  clock: Clock
  environment: ProviderEnvironment
}): IncomingWebhooks {
  const { db, clock, environment } = deps
  return {
    async receive(provider, request) {
      const { webhook } = findProvider(provider)
      if (!webhook) throw new AppError('not_found', `${provider} has no webhook`)
      const event = webhook.read(request, environment, clock.now())
      if (event.kind === 'challenge') return event.challenge
      if (event.kind === 'ignored') return null
      const { accountId: externalAccountId, eventId } = event
      const at = clock.now()
      for (const source of await findSourcesOf(db, { provider, externalAccountId })) {
        if (event.kind === 'permissions') {
          await announcePermissionChange(db, source, at)
          continue
        }
        const hints = event.kind === 'changed' ? event.hints : []
        await transact(db, async (tx) => {
          // The source before its poll of permissions, as where a run ends.
          const isNew = await notePushEvent(tx, { ...source, eventId, hints, at })
          if (event.kind === 'changed' && event.changesPermissions)
            await announcePermissionChange(tx, source, at)
          // A source paused since the lookup stays paused.
          if (isNew && event.kind === 'disconnected') await failSource(tx, source, event.reason, at)
        })
      }
      return null
    },
  }
}
