import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { insertOrganization } from '../organizations/index.ts'
import type { AuditAction } from './actions.ts'
import { pageGroups } from './group-events.ts'
import type { EventGroup } from './schemas.ts'
import { recordEvent } from './record-event.ts'

const ADA = '11111111-1111-4111-8111-111111111111'
const BOB = '22222222-2222-4222-8222-222222222222'
const START = Date.parse('2026-03-02T09:00:00Z')
const MINUTE = 60_000

let database: TestDatabase
let organizationId: string
let other: string

beforeAll(async () => {
  database = await createTestDatabase()
  const make = () =>
    database.db
      .transaction()
      .execute((tx) => insertOrganization(tx, { name: 'Acme', status: 'internal', at: new Date(START) }))
  organizationId = await make()
  other = await make()
  let minute = 0
  const act = async (action: AuditAction, userId: string, times: number, gap = 1): Promise<void> => {
    for (let nth = 0; nth < times; nth++) await record(organizationId, action, userId, (minute += gap))
  }
  await act('search.retrieve', ADA, 3)
  await act('search.retrieve', ADA, 1, 11)
  await act('search.retrieve', BOB, 2)
  await act('api_key.create', BOB, 1)
  await act('search.retrieve', ADA, 7)
  await record(other, 'search.retrieve', ADA, minute)
})
afterAll(() => database.close())

async function record(of: string, action: AuditAction, userId: string, minute: number): Promise<void> {
  await database.db.transaction().execute((tx) =>
    recordEvent(
      tx,
      { organizationId: of, userId },
      {
        action,
        target: ['search', String(minute)],
        metadata: {},
        providers: [],
        at: new Date(START + minute * MINUTE),
      },
    ),
  )
}

const caller = () => ({
  kind: 'console' as const,
  organizationId,
  userId: ADA,
  role: 'owner' as const,
  allowedProviders: null,
})
const shown = (groups: readonly EventGroup[]) =>
  groups.map(({ event, count, isOpen }) => [event.action, event.targetId, count, isOpen])

describe('the groups of the audit trail', () => {
  it('join what one caller did in a row within ten minutes, of one organization [CON-31]', async () => {
    const { groups, nextCursor } = await pageGroups(database.db, caller(), { limit: 10 })
    expect(shown(groups)).toEqual([
      ['search.retrieve', '24', 7, false],
      ['api_key.create', '17', 1, false],
      ['search.retrieve', '16', 2, false],
      ['search.retrieve', '14', 1, false],
      ['search.retrieve', '3', 3, false],
    ])
    expect(nextCursor).toBeNull()
    expect(groups[0]?.oldestAt).toBe('2026-03-02T09:18:00.000Z')
  })

  it('are the same page by page, and by filter [CON-31]', async () => {
    const whole = await pageGroups(database.db, caller(), { limit: 10 })
    const paged: EventGroup[] = []
    let cursor: string | undefined
    do {
      const page = await pageGroups(database.db, caller(), { limit: 2, cursor })
      paged.push(...page.groups)
      cursor = page.nextCursor ?? undefined
    } while (cursor !== undefined)
    expect(paged).toEqual(whole.groups)
    const ofBob = await pageGroups(database.db, caller(), { limit: 10, actor: BOB })
    expect(shown(ofBob.groups)).toEqual([
      ['api_key.create', '17', 1, false],
      ['search.retrieve', '16', 2, false],
    ])
  })

  it('are marked as open when a page ends within a burst [CON-31]', async () => {
    const first = await pageGroups(database.db, caller(), { limit: 10 }, 4)
    expect(shown(first.groups)).toEqual([['search.retrieve', '24', 4, true]])
    const next = await pageGroups(
      database.db,
      caller(),
      { limit: 10, cursor: first.nextCursor ?? undefined },
      4,
    )
    expect(shown(next.groups)).toEqual([
      ['search.retrieve', '20', 3, false],
      ['api_key.create', '17', 1, true],
    ])
  })
})
