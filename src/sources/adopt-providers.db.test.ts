import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { insertOrganization, insertSource, type TestOrganization } from '../../test/support/organizations.ts'
import { PROVIDERS } from '../providers/index.ts'
import { adoptProviders } from './adopt-providers.ts'

const AT = new Date('2026-02-01T00:00:00.000Z')
const WITHOUT = PROVIDERS.filter((provider) => provider !== 'gmail')

let database: TestDatabase
let organization: TestOrganization

beforeEach(async () => {
  database = await createTestDatabase()
  organization = await insertOrganization(database.db)
})
afterEach(() => database.close())

const start = (named = PROVIDERS) => adoptProviders(database.db, named, AT)
const removeGmail = () =>
  database.db
    .deleteFrom('sources')
    .where('organization_id', '=', organization.id)
    .where('provider', '=', 'gmail')
    .execute()

async function sourcesOfGmail() {
  return await database.db
    .selectFrom('sources')
    .select(['display_name', 'push_only', 'status'])
    .where('organization_id', '=', organization.id)
    .where('provider', '=', 'gmail')
    .execute()
}

describe('a changed PROVIDERS setting', () => {
  it('gives every workspace a push-only source of a new provider, once', async () => {
    await start(WITHOUT)
    expect(await sourcesOfGmail()).toEqual([])
    await start()
    await start()
    const pushOnly = { display_name: 'Gmail (push)', push_only: true, status: 'active' }
    expect(await sourcesOfGmail()).toEqual([pushOnly])
  })

  it('does not restore a push-only source that a user deleted', async () => {
    await removeGmail()
    await start()
    expect(await sourcesOfGmail()).toEqual([])
  })

  it('is refused while a provider that it leaves out has an account', async () => {
    await removeGmail()
    await insertSource(database.db, organization.id, { provider: 'gmail', push_only: false })
    await expect(start(WITHOUT)).rejects.toThrow(/PROVIDERS must name gmail, which has 1 source/)
    expect(await sourcesOfGmail()).toHaveLength(1)
    await start()
  })

  it('is refused while an API key is scoped to a provider that it leaves out', async () => {
    const key = {
      organization_id: organization.id,
      id: organization.id,
      name: 'Reader',
      prefix: 'svc_aaaaaaaa',
      secret_sha256: Buffer.alloc(32),
      actor_type: 'agent' as const,
      allowed_actions: ['search' as const],
      allowed_providers: ['gmail' as const],
      created_at: AT,
    }
    await database.db.insertInto('api_keys').values(key).execute()
    await expect(start(WITHOUT)).rejects.toThrow(/1 API key/)
    await database.db.updateTable('api_keys').set({ revoked_at: AT }).execute()
    await start(WITHOUT)
  })
})
