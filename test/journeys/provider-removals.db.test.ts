import type { DefaultProviderId as ProviderId } from '../../src/providers/index.ts'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { brokenPdf, pdfBomb, wordBomb } from '../../emulators/google/file-formats.ts'
import { createLogger } from '../../src/process/logger.ts'
import {
  ALL_PROVIDERS,
  type ConnectedService,
  emulatorOf,
  startConnectedService,
  type Workspace,
  writeAtProvider,
} from '../support/connected-service.ts'

let service: ConnectedService
const logged: string[] = []

beforeAll(async () => {
  const logger = createLogger('debug', { write: (line) => void logged.push(line) })
  service = await startConnectedService({
    service: { logger },
    emulators: { slack: { seed: { threadShare: 0.5 } } },
  })
})
afterAll(() => service.close())

/** A workspace with one connected account whose first run ended. */
async function connected(provider: ProviderId): Promise<Workspace & { sourceId: string }> {
  const workspace = await service.workspace()
  const sourceId = await service.connect(workspace.owner, workspace.organization.id, provider)
  expect(await service.runEnded(workspace.organization, sourceId)).toMatchObject({
    status: 'succeeded',
    errorMessage: null,
  })
  return { ...workspace, sourceId }
}

async function search({ organization }: Workspace, query: string): Promise<Hit[]> {
  const body = { query, limit: 25 }
  const answer = await service.call('POST', '/v1/search', { key: organization.adminKey, body })
  expect(answer.status).toBe(200)
  return answer.body.hits
}

interface Hit {
  sourceItemId: string
  content: string
  provider: ProviderId
}

const storedIds = async (sourceId: string): Promise<string[]> =>
  (
    await service.database.db
      .selectFrom('source_items')
      .select('external_id')
      .where('source_id', '=', sourceId)
      .orderBy('external_id')
      .execute()
  ).map((row) => row.external_id)

/** A workspace's row count in each table with a source's data. */
async function rowsOf(organizationId: string): Promise<Record<string, number>> {
  const tables = [
    'source_items',
    'chunks',
    'chunk_embeddings',
    'synced_items',
    'sync_runs',
    'source_credentials',
    'grant_revocations',
  ]
  const counts = await Promise.all(
    tables.map(async (table) => {
      const { rows } = await sql<{ count: number }>`
        select count(*)::int as count from ${sql.table(table)} where organization_id = ${organizationId}`.execute(
        service.database.db,
      )
      return [table, rows[0]?.count ?? Number.NaN] as const
    }),
  )
  return Object.fromEntries(counts)
}

describe('a deleted source', () => {
  // One after another, before anything else is connected: a shared grant is not revoked.
  it.for(ALL_PROVIDERS)(
    'leaves nothing of %s behind, and its grant is revoked [CONN-9]',
    async (provider) => {
      const workspace = await connected(provider)
      const { organization, owner, sourceId } = workspace
      const grant = await service.storedGrant(organization, sourceId)
      const { grants } = emulatorOf(service.emulators, provider)
      expect(grants.check(grant.accessToken)).toBe('valid')
      const empty = await rowsOf((await service.workspace()).organization.id)
      expect((await rowsOf(organization.id))['chunks']).toBeGreaterThan(0)
      const answer = await service.call('DELETE', `/v1/console/sources/${sourceId}`, { key: owner.token })
      expect(answer.status).toBe(200)
      expect(await service.findSource(organization, sourceId)).toBeUndefined()
      expect(await rowsOf(organization.id)).toEqual(empty)
      expect(await search(workspace, 'release notes of the staging cluster')).toEqual([])
      expect(grants.check(grant.accessToken)).toBe('revoked')
    },
  )
})

describe('a source deleted while its provider is unreachable', () => {
  it.for(ALL_PROVIDERS)('leaves no token of %s in the log [AUD-12]', async (provider) => {
    const { organization, owner, sourceId } = await connected(provider)
    const { accessToken, refreshToken } = await service.storedGrant(organization, sourceId)
    const { faults } = emulatorOf(service.emulators, provider)
    faults.add({ path: 'revoke', drop: true })
    const lines = logged.length
    await service.call('DELETE', `/v1/console/sources/${sourceId}`, { key: owner.token })
    faults.clear()
    const about = logged.slice(lines).join('')
    expect(about).toContain('a connection task failed; will retry')
    expect(about).not.toContain(accessToken)
    expect(about).not.toContain(refreshToken ?? 'none')
  })
})

describe('an item deleted at the provider', () => {
  it.concurrent.for(ALL_PROVIDERS)(
    '%s is gone with the next run, by id and from search, and is counted [SYNC-9, SYNC-14]',
    async (provider) => {
      const workspace = await connected(provider)
      const { organization, sourceId } = workspace
      const words = `Quixotic zeppelin ${provider}`
      const written = writeAtProvider(service.emulators, provider, {
        title: `Zeppelin ${provider}`,
        text: `${words} leaves the hangar at nine.`,
      })
      expect(await service.sync(organization, sourceId)).toMatchObject({ itemsIngested: 1, itemsDeleted: 0 })
      const hit = (await search(workspace, words)).find(({ content }) => content.includes(words))
      const path = `/v1/source-items/${hit?.sourceItemId}`
      const show = () => service.call('GET', path, { key: organization.adminKey })
      expect((await show()).status).toBe(200)
      written.remove()
      expect(await service.sync(organization, sourceId)).toMatchObject({
        status: 'succeeded',
        itemsIngested: 0,
        itemsDeleted: 1,
      })
      expect((await show()).status).toBe(404)
      expect(JSON.stringify(await search(workspace, words))).not.toContain('Quixotic')
    },
  )
})

/** An item whose reads always fail: what the faults match, and its external id. */
async function failing(provider: ProviderId): Promise<string> {
  const { slack, google, notion } = service.emulators
  // Retry-After 0: the attempts of a call follow each other at once.
  const down = { status: 500, headers: { 'retry-after': '0' } }
  switch (provider) {
    case 'slack': {
      const channel = slack.state.channels()[0]?.id ?? ''
      const root = slack.state.allMessages(channel).find((message) => message.reply_count)?.ts ?? ''
      const body = { ok: false, error: 'thread_is_broken' }
      slack.faults.add({ path: 'conversations.replies', contains: root, status: 200, body })
      return `${slack.team.id}/${channel}/${root}`
    }
    case 'notion': {
      const page = [...notion.state.objects.values()].find((one) => one.kind === 'page')
      notion.faults.add({ path: `/v1/pages/${page?.id}/markdown`, ...down })
      notion.faults.add({ path: `/v1/blocks/${page?.id}/children`, ...down })
      return page?.id ?? ''
    }
    case 'google_drive': {
      google.faults.add({ path: `/drive/v3/files/${google.drive.fileId(0)}`, ...down })
      return `my/${google.drive.fileId(0)}`
    }
    case 'gmail': {
      const id = google.mail.mailId(0)
      google.faults.add({ path: `/gmail/v1/users/me/messages/${id}`, ...down })
      return `${google.account}/${id}`
    }
  }
}

describe('an unreadable item', () => {
  it.concurrent.for(ALL_PROVIDERS)(
    'at %s is recorded with its run, and the others are stored [SYNC-13]',
    async (provider) => {
      const whole = await connected(provider)
      const externalId = await failing(provider)
      const workspace = await connected(provider)
      const [run] = (await service.call('GET', '/v1/sync-runs', { key: workspace.organization.adminKey }))
        .body.syncRuns
      const { syncRun, itemsFailed, failures } = await service.runDetails(workspace.organization, run.id)
      expect(syncRun).toMatchObject({ status: 'succeeded', errorMessage: null })
      expect(itemsFailed).toBe(1)
      const isNamed = provider === 'google_drive' || provider === 'notion'
      const title = isNamed ? expect.any(String) : null
      expect(failures).toEqual([{ externalId, title, message: expect.stringMatching(/./), code: null }])
      const ids = await storedIds(whole.sourceId)
      expect(ids).toContain(externalId)
      expect(await storedIds(workspace.sourceId)).toEqual(ids.filter((id) => id !== externalId))
    },
  )

  it('that crashes its parser or expands endlessly is recorded, and the run continues [SYNC-13]', async () => {
    const { drive, faults } = service.emulators.google
    faults.clear()
    const workspace = await connected('google_drive')
    const before = await storedIds(workspace.sourceId)
    const word = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
    const broken = drive.create({ name: 'broken', mimeType: 'application/pdf', content: brokenPdf() })
    const bomb = drive.create({ name: 'bomb', mimeType: word, content: wordBomb(2048) })
    const other = drive.create({ name: 'pdf bomb', mimeType: 'application/pdf', content: pdfBomb(2048) })
    const fine = drive.create({ name: 'fine', content: 'words' })
    const run = await service.sync(workspace.organization, workspace.sourceId)
    expect(run).toMatchObject({ status: 'succeeded', itemsIngested: 1 })
    const { itemsFailed, failures } = await service.runDetails(workspace.organization, run.id)
    expect(itemsFailed).toBe(3)
    expect(failures).toEqual([
      {
        externalId: `my/${broken}`,
        title: 'broken',
        code: null,
        message: expect.stringContaining('The file cannot be read: '),
      },
      {
        externalId: `my/${bomb}`,
        title: 'bomb',
        code: null,
        message: expect.stringMatching(/needs more than \d+ MB to be read/),
      },
      {
        externalId: `my/${other}`,
        title: 'pdf bomb',
        code: null,
        message: expect.stringMatching(/needs more than \d+ MB to be read/),
      },
    ])
    expect(await storedIds(workspace.sourceId)).toEqual([...before, `my/${fine}`].toSorted())
    for (const id of [broken, bomb, other]) drive.remove(id)
  })
})
