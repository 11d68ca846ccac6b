import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type MicrosoftEmulator, startMicrosoftEmulator } from '../../emulators/microsoft/index.ts'
import { seedTeams } from '../../emulators/microsoft/seed.ts'
import { cookiesOf, followRedirects } from '../support/browser.ts'
import { startIssuer, type TestIssuer } from '../support/issuer.ts'
import { signIn } from '../support/people.ts'
import { startTestService, type TestOrganization, type TestService } from '../support/service.ts'
import { until } from '../support/until.ts'

// Other tests in this process use the default providers, before and after.
vi.hoisted(() => {
  vi.resetModules()
  process.env.PROVIDERS = 'slack,google_drive,notion,gmail,teams'
})
// The imports above have read it.
delete process.env.PROVIDERS
afterAll(() => vi.resetModules())

const DAY_MS = 86_400_000
let issuer: TestIssuer
let microsoft: MicrosoftEmulator
let service: TestService
let organization: TestOrganization

beforeAll(async () => {
  issuer = await startIssuer()
  microsoft = await startMicrosoftEmulator()
  seedTeams(microsoft, { threads: 5 })
  service = await startTestService({
    environment: {
      ...issuer.environment,
      ...microsoft.env,
      ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
    },
  })
  organization = await service.organization()
})
afterAll(async () => {
  await service.close()
  await issuer.close()
  await microsoft.close()
})

async function connect(): Promise<string> {
  const owner = await signIn(service, issuer, 'ada', { organizationId: organization.id, role: 'owner' })
  const begun = await service.call('POST', '/v1/console/connectors/teams/authorize', {
    key: owner.token,
    headers: { 'X-Organization-Id': organization.id },
  })
  const back = await followRedirects(begun.body.url, `${service.url}/console/`, {
    origin: service.url,
    cookies: cookiesOf(begun.headers),
  })
  return new URL(back).searchParams.get('connected') ?? ''
}

const search = async (query: string, email?: string): Promise<string[]> => {
  const body = { query, ...(email !== undefined && { onBehalfOf: { email } }) }
  const answer = await service.call('POST', '/v1/search', { key: organization.adminKey, body })
  return answer.body.hits.map(({ title }: { title: string }) => title)
}

it('is found by the members of its channel, and is polled once a day, as the terms of Microsoft demand', async () => {
  const { teams } = microsoft
  const team = teams.createTeam('Board', ['ada', 'bob', 'cy'])
  const closed = teams.createChannel(team, 'Mergers', {
    membershipType: 'private',
    members: new Set(['ada', 'bob']),
  })
  const root = teams.post(closed, { content: 'Which lighthouse do we buy?' })
  teams.reply(root, { by: 'ada', content: 'The <b>northern</b> lighthouse.' })
  const sourceId = await connect()
  const { db } = service.database
  await until(
    'the first run and the reading of permissions',
    async () => {
      const poll = await db
        .selectFrom('permission_polls')
        .select('checked_at')
        .where('source_id', '=', sourceId)
        .executeTakeFirst()
      const source = await db
        .selectFrom('sources')
        .select('last_synced_at')
        .where('id', '=', sourceId)
        .executeTakeFirst()
      return poll?.checked_at != null && source?.last_synced_at != null
    },
    (isDone) => isDone,
  )
  const title = 'Mergers: Which lighthouse do we buy?'
  expect(await search('northern lighthouse')).toContain(title)
  await until(
    'the members of the channel',
    () => search('northern lighthouse', 'bob@acme.example'),
    (titles) => titles.includes(title),
  )
  expect(await search('northern lighthouse', 'cy@acme.example')).not.toContain(title)
  const soonest = Date.now() + DAY_MS - 120_000
  await until(
    'the next sync and the next reading of permissions, both in a day',
    async () => {
      const poll = await db
        .selectFrom('permission_polls')
        .select('next_at')
        .where('source_id', '=', sourceId)
        .executeTakeFirstOrThrow()
      const source = await db
        .selectFrom('sources')
        .select('next_poll_at')
        .where('id', '=', sourceId)
        .executeTakeFirstOrThrow()
      return [poll.next_at, source.next_poll_at ?? new Date(0)]
    },
    (times) => times.every((at) => at.getTime() > soonest),
  )
})
