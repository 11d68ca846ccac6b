import type { Db } from '../database/database.ts'
import type { Clock } from '../kernel/clock.ts'
import { AppError } from '../kernel/errors.ts'
import { readSlackEvent, verifySlackSignature } from '../sources/index.ts'
import { notePushEvent } from '../sync/index.ts'

export interface SlackRequest {
  timestamp: string | undefined
  signature: string | undefined
  rawBody: Buffer
}

export interface SlackWebhook {
  /**
   * Takes a request of Slack's Events API: what it announces is stored, the reading is left to a run.
   * @returns the challenge to answer, where it asks for one
   * @throws AppError `not_configured`, `unauthenticated` for a wrong or old signature, `malformed_json`, `validation_failed`
   */
  receive(request: SlackRequest): Promise<string | null>
}

/** Slack's events (docs.slack.dev/apis/events-api), for every source of the workspace they come from. */
export function createSlackWebhook(deps: {
  db: Db
  clock: Clock
  signingSecret: string | undefined
}): SlackWebhook {
  const { db, clock, signingSecret } = deps
  return {
    async receive(request) {
      if (signingSecret === undefined)
        throw new AppError('not_configured', "Slack's events need SLACK_SIGNING_SECRET")
      if (!verifySlackSignature({ ...request, signingSecret, now: clock.now() }))
        throw new AppError(
          'unauthenticated',
          "The request does not carry Slack's signature of the last 5 minutes",
        )
      const event = readSlackEvent(parseJson(request.rawBody))
      if (event.kind === 'challenge') return event.challenge
      if (event.kind === 'ignored') return null
      const sources = await db
        .selectFrom('sources')
        .select(['organization_id', 'id'])
        .where('provider', '=', 'slack')
        .where('external_account_id', '=', event.teamId)
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

function parseJson(rawBody: Buffer): unknown {
  try {
    return JSON.parse(rawBody.toString('utf8'))
  } catch (error) {
    throw new AppError('malformed_json', 'The body is not JSON', { cause: error })
  }
}
