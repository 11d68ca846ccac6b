import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { untilOneWaits } from '../../test/support/lock-waits.ts'
import { insertOrganization, insertSource } from '../../test/support/organizations.ts'
import { schedulePermissionPoll } from '../permission-polls/index.ts'
import { signSlackBody } from '../providers/slack/webhook.ts'
import { lockSource } from '../sources/index.ts'
import { createIncomingWebhooks } from './incoming-webhooks.ts'

const SECRET = 'signing-secret'
const now = new Date(Date.UTC(2026, 0, 20))

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

async function receive(event: object): Promise<void> {
  const webhooks = createIncomingWebhooks({
    db: database.db,
    clock: { now: () => now },
    environment: { SLACK_SIGNING_SECRET: SECRET },
  })
  const rawBody = Buffer.from(
    JSON.stringify({ type: 'event_callback', team_id: 'T1', event_id: 'Ev1', event }),
  )
  const timestamp = String(now.getTime() / 1000)
  const signature = signSlackBody(SECRET, timestamp, rawBody)
  const headers = { 'x-slack-request-timestamp': timestamp, 'x-slack-signature': signature }
  await webhooks.receive('slack', { headers, rawBody })
}

describe('an event that changes permissions', () => {
  it('is stored while a run of its source ends, which schedules a poll of permissions too', async () => {
    const { db, driver } = database
    const { id: organizationId } = await insertOrganization(db)
    const sourceId = await insertSource(db, organizationId, {
      provider: 'slack',
      push_only: false,
      external_account_id: 'T1',
    })
    const source = { organizationId, sourceId }
    await schedulePermissionPoll(db, source, now)
    const received = Promise.withResolvers<void>()
    await db.transaction().execute(async (tx) => {
      await lockSource(tx, source)
      receive({ type: 'channel_rename' }).then(received.resolve, received.reject)
      // The embedded database has one session, so there the event waits for this transaction as a whole.
      if (driver === 'postgres') await untilOneWaits(db)
      await schedulePermissionPoll(tx, source, now)
    })
    await received.promise
    const events = await db.selectFrom('push_events').select('event_id').execute()
    expect(events).toEqual([{ event_id: 'Ev1' }])
  })
})
