import type { Db } from '../database/database.ts'
import type { Clock } from '../kernel/clock.ts'
import { AppError } from '../kernel/errors.ts'
import type { ProviderId } from '../kernel/providers.ts'
import { providerOf, type ProviderEnvironment } from '../providers/index.ts'
import { notePushEvent } from '../sync/index.ts'

export interface Webhooks {
  /**
   * Takes a request of a provider's webhook: what it announces is stored, the reading is left to a run.
   * @returns the challenge to answer, where it asks for one
   * @throws AppError `not_configured`, `unauthenticated`, `malformed_json`, `validation_failed`
   */
  receive(
    provider: ProviderId,
    request: { headers: Readonly<Record<string, string | string[] | undefined>>; rawBody: Buffer },
  ): Promise<string | null>
}

/** What providers announce, for every source of the account they announce it for. */
export function createWebhooks(deps: { db: Db; clock: Clock; environment: ProviderEnvironment }): Webhooks {
  const { db, clock, environment } = deps
  return {
    async receive(provider, request) {
      const { webhook } = providerOf(provider)
      if (!webhook) throw new AppError('not_found', `${provider} has no webhook`)
      const event = webhook.read(request, environment, clock.now())
      if (event.kind === 'challenge') return event.challenge
      if (event.kind === 'ignored') return null
      const sources = await db
        .selectFrom('sources')
        .select(['organization_id', 'id'])
        .where('provider', '=', provider)
        .where('external_account_id', '=', event.accountId)
        .where('push_only', '=', false)
        .where('status', '<>', 'disabled')
        .execute()
      const { eventId } = event
      const at = clock.now()
      for (const { organization_id: organizationId, id: sourceId } of sources) {
        const hints = event.kind === 'changed' ? event.hints : []
        await db.transaction().execute(async (tx) => {
          const isNew = await notePushEvent(tx, { organizationId, sourceId, eventId, hints, at })
          if (!isNew || event.kind !== 'disconnected') return
          await tx
            .updateTable('sources')
            .set({ status: 'error', error_message: event.reason, updated_at: at })
            .where('organization_id', '=', organizationId)
            .where('id', '=', sourceId)
            // Paused between the look and now: it stays so.
            .where('status', '<>', 'disabled')
            .execute()
        })
      }
      return null
    },
  }
}
