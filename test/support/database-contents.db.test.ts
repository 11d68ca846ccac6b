import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseContents, tablesWith } from './database-contents.ts'
import { startTestService, type TestService } from './service.ts'

let service: TestService

beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

describe('the contents of a database', () => {
  it('differ in the table with another row or another value, and not by the last use of a key', async () => {
    const { db } = service.database
    const { id } = await service.organization()
    const before = await databaseContents(db)
    await db
      .updateTable('api_keys')
      .set({ last_used_at: new Date() })
      .where('organization_id', '=', id)
      .execute()
    expect(await databaseContents(db)).toEqual(before)
    const changed = async (): Promise<string[]> => {
      const after = await databaseContents(db)
      return Object.keys(after).filter((name) => after[name] !== before[name])
    }
    await db.updateTable('organizations').set({ name: 'Changed' }).where('id', '=', id).execute()
    expect(await tablesWith(db, 'Changed')).toEqual(['organizations'])
    expect(await changed()).toEqual(['organizations'])
    await db.deleteFrom('api_keys').where('organization_id', '=', id).execute()
    expect(await changed()).toEqual(expect.arrayContaining(['api_keys', 'organizations']))
    expect((await databaseContents(db)).api_keys).toMatch(/^0 rows/)
  })
})
