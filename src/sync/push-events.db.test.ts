import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DAY_MS } from '../kernel/clock.ts'
import { openPostgres } from '../database/drivers/postgres.ts'
import { ProviderError } from '../providers/index.ts'
import { createFakeProvider, type FakeProvider } from '../../test/support/fake-provider.ts'
import { startSyncBench, SYNC_INTERVAL_MS, type SyncBench } from '../../test/support/sync.ts'
import { dropPushEvents, notePushEvent, readPushState } from './push-events.ts'
import { acquireRun } from './run-lease.ts'
import { deleteExpiredRuns } from './delete-expired.ts'

let bench: SyncBench
let slack: FakeProvider

beforeEach(async () => {
  bench = await startSyncBench()
  slack = createFakeProvider('slack')
})
afterEach(() => bench.close())

const eventOf = (sourceId: string, eventId: string) => ({
  organizationId: bench.organization.id,
  sourceId,
  eventId,
  hints: [eventId],
  at: new Date(bench.now),
})
const note = (sourceId: string, eventId: string) =>
  bench.db.transaction().execute((tx) => notePushEvent(tx, eventOf(sourceId, eventId)))
const unread = async () => {
  const events = bench.db.selectFrom('push_events').select('event_id').where('read_at', 'is', null)
  return (await events.orderBy('position').execute()).map((event) => event.event_id)
}

/** A run that this test works on itself. */
async function take(sourceId: string) {
  await bench.queue(sourceId)
  const run = await acquireRun(bench.db, ['slack'], new Date(bench.now))
  if (!run) throw new Error('there is no run')
  return run
}

describe('events of a source in error', () => {
  it('do not advance its next poll, which then receives them all', async () => {
    const sourceId = await bench.connect('slack')
    slack.beforePage = () => {
      throw new ProviderError('auth', 'token_revoked')
    }
    await bench.queue(sourceId)
    const worker = bench.worker(slack.adapter)
    await worker.settle()
    for (let n = 0; n < 20; n++) {
      await note(sourceId, `E${n}`)
      bench.now += 4_000
      await worker.settle()
    }
    expect(slack.asked).toHaveLength(1)
    slack.beforePage = () => {}
    bench.now += DAY_MS
    await worker.settle()
    expect(slack.asked.at(-1)?.push?.hints).toHaveLength(20)
    expect(await unread()).toEqual([])
  })

  it('are dropped after a week without a run that read them, and the source counts as without events', async () => {
    const sourceId = await bench.connect('slack', { status: 'error' })
    await note(sourceId, 'old')
    bench.now += 6 * DAY_MS
    await deleteExpiredRuns(bench.db, new Date(bench.now))
    expect(await unread()).toEqual(['old'])
    expect((await bench.source(sourceId)).push_since).not.toBeNull()
    await note(sourceId, 'new')
    bench.now += 1.5 * DAY_MS
    await deleteExpiredRuns(bench.db, new Date(bench.now))
    expect(await unread()).toEqual(['new'])
    expect((await bench.source(sourceId)).push_since).toBeNull()
  })

  it('are kept a day after they are read, and the source still counts as having events', async () => {
    const sourceId = await bench.connect('slack')
    await note(sourceId, 'E1')
    await bench.queue(sourceId)
    await bench.worker(slack.adapter).settle()
    bench.now += 8 * DAY_MS
    await deleteExpiredRuns(bench.db, new Date(bench.now))
    expect(await bench.db.selectFrom('push_events').selectAll().execute()).toEqual([])
    expect((await bench.source(sourceId)).push_since).not.toBeNull()
  })
})

describe('an event', () => {
  it('that arrives while a run reads waits for a run of its own, soon', async () => {
    const sourceId = await bench.connect('slack')
    await note(sourceId, 'before')
    const run = await take(sourceId)
    const push = await readPushState(bench.db, run)
    await note(sourceId, 'meanwhile')
    await dropPushEvents(bench.db, run, push.positions, new Date(bench.now))
    expect(push.state.hints).toEqual(['before'])
    expect(await unread()).toEqual(['meanwhile'])
    const soon = (await bench.source(sourceId)).next_poll_at
    expect(soon?.getTime()).toBeLessThan(bench.now + SYNC_INTERVAL_MS / 10)
  })

  it('of a source paused meanwhile does not change it', async () => {
    const sourceId = await bench.connect('slack', { status: 'disabled' })
    await note(sourceId, 'E1')
    expect(await bench.source(sourceId)).toMatchObject({ push_since: null, next_poll_at: null })
  })
})

describe.runIf(process.env.TEST_DRIVER === 'postgres')(
  'an event committed after a later one was read',
  () => {
    it('is not marked as read', async () => {
      const { url } = bench.database
      if (url === null) throw new Error('there is no server')
      const sourceId = await bench.connect('slack')
      const run = await take(sourceId)
      const other = await openPostgres({ url, connectionsMax: 1 })
      try {
        const slow = await other.db.startTransaction().execute()
        const { organizationId, eventId, at } = eventOf(sourceId, 'first')
        await slow
          .insertInto('push_events')
          .values({
            organization_id: organizationId,
            source_id: sourceId,
            event_id: eventId,
            hints: '["first"]',
            received_at: at,
          })
          .execute()
        await note(sourceId, 'second')
        const push = await readPushState(bench.db, run)
        await slow.commit().execute()
        await dropPushEvents(bench.db, run, push.positions, at)
        expect(push.state.hints).toEqual(['second'])
        expect(await unread()).toEqual(['first'])
      } finally {
        await other.close()
      }
    })
  },
)
