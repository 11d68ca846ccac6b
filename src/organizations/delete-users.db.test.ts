import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DAY_MS } from '../kernel/clock.ts'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { insertRowOfEveryTable } from '../../test/support/row-of-every-table.ts'
import { ensureUser, deleteExpiredInvitations, deleteUsersWithoutWorkspace } from './index.ts'

const START = new Date('2026-05-01T00:00:00.000Z')

let database: TestDatabase
let now: Date
const clock = { now: () => now }
const pass = (days: number) => void (now = new Date(now.getTime() + days * DAY_MS))

beforeEach(async () => {
  database = await createTestDatabase()
  now = START
})
afterEach(() => database.close())

const signIn = (subject: string): Promise<string> =>
  ensureUser(database.db, clock, {
    issuer: 'https://id.example.com',
    subject,
    email: `${subject}@example.com`,
    emailVerified: true,
    name: subject,
  })
const known = async (): Promise<string[]> =>
  (await database.db.selectFrom('users').select('id').execute()).map(({ id }) => id)

describe('a user without a workspace', () => {
  it('is deleted thirty days after the last visit, and created again on return [OPS-10]', async () => {
    const ada = await signIn('ada')
    pass(20)
    expect(await signIn('ada')).toBe(ada)
    pass(29)
    expect(await deleteUsersWithoutWorkspace(database.db, now)).toBe(0)
    expect(await known()).toEqual([ada])
    pass(2)
    expect(await deleteUsersWithoutWorkspace(database.db, now)).toBe(1)
    expect(await known()).toEqual([])
    const again = await signIn('ada')
    expect(again).not.toBe(ada)
    expect(await known()).toEqual([again])
  })

  it('is not written to at each request', async () => {
    const ada = await signIn('ada')
    const seen = database.db.selectFrom('users').select('seen_at').where('id', '=', ada)
    pass(0.9)
    await signIn('ada')
    expect((await seen.executeTakeFirstOrThrow()).seen_at).toEqual(START)
    pass(0.2)
    await signIn('ada')
    expect((await seen.executeTakeFirstOrThrow()).seen_at).toEqual(now)
  })

  it('without a recorded visit is deleted by creation date [OPS-10]', async () => {
    const row = { issuer: 'i', email: 'old@example.com', name: null }
    const [old, recent] = [randomUUID(), randomUUID()]
    pass(40)
    await database.db
      .insertInto('users')
      .values([
        { id: old, subject: old, ...row, created_at: START },
        { id: recent, subject: recent, ...row, created_at: now },
      ])
      .execute()
    expect(await deleteUsersWithoutWorkspace(database.db, now)).toBe(1)
    expect(await known()).toEqual([recent])
  })

  it('is kept while a workspace that they left names them', async () => {
    const { id, userId } = await insertRowOfEveryTable(database.db)
    pass(400)
    for (const table of ['memberships', 'oauth_states', 'invitations', 'scim_tokens'] as const)
      await database.db.deleteFrom(table).where('organization_id', '=', id).execute()
    expect(await deleteUsersWithoutWorkspace(database.db, now)).toBe(0)
    await database.db.deleteFrom('former_members').execute()
    expect(await deleteUsersWithoutWorkspace(database.db, now)).toBe(1)
    expect(await known()).not.toContain(userId)
  })

  it('is kept while an invitation names them', async () => {
    const { userId } = await insertRowOfEveryTable(database.db)
    pass(400)
    for (const table of ['memberships', 'oauth_states', 'former_members', 'scim_tokens'] as const)
      await database.db.deleteFrom(table).execute()
    expect(await deleteUsersWithoutWorkspace(database.db, now)).toBe(0)
    expect(await known()).toEqual([userId])
    await deleteExpiredInvitations(database.db, now)
    expect(await deleteUsersWithoutWorkspace(database.db, now)).toBe(1)
  })

  it('is kept while a SCIM token names them', async () => {
    const { userId } = await insertRowOfEveryTable(database.db)
    pass(400)
    for (const table of ['memberships', 'oauth_states', 'former_members', 'invitations'] as const)
      await database.db.deleteFrom(table).execute()
    expect(await deleteUsersWithoutWorkspace(database.db, now)).toBe(0)
    expect(await known()).toEqual([userId])
  })

  it('can sign in while being deleted, and exists afterward', async () => {
    await signIn('ada')
    pass(31)
    const [id] = await Promise.all([signIn('ada'), deleteUsersWithoutWorkspace(database.db, now)])
    expect(await known()).toEqual([id])
  })
})

describe('an expired invitation', () => {
  it('is deleted with its address, and no other is', async () => {
    const { db } = database
    const { id, userId } = await insertRowOfEveryTable(db)
    await db.deleteFrom('invitations').execute()
    const invitation = (name: string, expires_at: Date) => ({
      organization_id: id,
      id: randomUUID(),
      secret_sha256: Buffer.from(name),
      role: 'member' as const,
      email: `${name}@example.com`,
      created_by_user_id: userId,
      created_at: START,
      expires_at,
    })
    await db
      .insertInto('invitations')
      .values([invitation('over', now), invitation('open', new Date(now.getTime() + 1))])
      .execute()
    await deleteExpiredInvitations(db, now)
    const left = await db.selectFrom('invitations').select('email').execute()
    expect(left).toEqual([{ email: 'open@example.com' }])
  })
})
