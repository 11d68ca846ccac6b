import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ProviderId } from '../../src/kernel/provider-id.ts'
import {
  ALL_PROVIDERS,
  type ConnectedService,
  startConnectedService,
  writeAtProvider,
} from '../support/connected-service.ts'
import type { Person } from '../support/people.ts'
import type { TestOrganization } from '../support/service.ts'

let service: ConnectedService
let organization: TestOrganization
let owner: Person
const sources = new Map<ProviderId, string>()

beforeAll(async () => {
  service = await startConnectedService()
  organization = await service.organization()
  owner = await service.signIn('ada', { organizationId: organization.id, role: 'owner' })
})

afterAll(() => service.close())

const search = async (query: string) =>
  (await service.call('POST', '/v1/search', { key: organization.adminKey, body: { query, limit: 25 } })).body
    .hits

async function syncAgain(provider: ProviderId, fullResync = false) {
  const connectorId = sources.get(provider) ?? ''
  const body = { connectorId, fullResync }
  const answer = await service.call('POST', '/v1/sync-runs', { key: organization.adminKey, body })
  expect(answer.status).toBe(201)
  return await service.runEnded(organization, connectorId)
}

describe('connecting the four providers', () => {
  it('stores everything in an automatic first run, and makes the source active', async () => {
    for (const provider of ALL_PROVIDERS) {
      const sourceId = await service.connect(owner, organization.id, provider)
      sources.set(provider, sourceId)
      const run = await service.runEnded(organization, sourceId)
      expect(run, provider).toMatchObject({ status: 'succeeded', errorMessage: null })
      expect(run.itemsIngested, provider).toBeGreaterThan(0)
    }
    const { body } = await service.call('GET', '/v1/sources', { key: organization.adminKey })
    for (const [provider, id] of sources) {
      const source = body.sources.find((one: { id: string }) => one.id === id)
      expect(source, provider).toMatchObject({ status: 'active', errorMessage: null })
      expect(source.sourceItemCount, provider).toBeGreaterThan(0)
    }
    expect(
      body.sources.find((one: { id: string; provider: string }) => one.id === sources.get('google_drive'))
        .policyHealth,
    ).toMatchObject({
      filesWithoutPolicy: 0,
    })
  })

  it('answers from the stored items, and cites their source', async () => {
    const { state } = service.emulators.slack
    const channel = state.channels()[0]?.id ?? ''
    state.post(channel, { text: 'The zeppelin hangar is booked for Thursday at nine.' })
    await syncAgain('slack')
    const [hit] = await search('zeppelin hangar')
    expect(hit).toMatchObject({ provider: 'slack', url: expect.stringContaining('slack.com/archives/') })
    const ask = await service.call('POST', '/v1/ask', {
      key: organization.adminKey,
      body: { query: 'When is the zeppelin hangar booked?' },
    })
    expect(ask.body.answer).toMatch(/Thursday/)
    expect(ask.body.citations.length).toBeGreaterThan(0)
  })

  it('syncs one item again on request, at each of them', async () => {
    for (const provider of ALL_PROVIDERS) {
      const word = `quagga${provider.replace('_', '')}`
      const { remove } = writeAtProvider(service.emulators, provider, { title: word, text: `A ${word}.` })
      await syncAgain(provider)
      const [hit] = await search(word)
      expect(hit, provider).toMatchObject({ provider, content: expect.stringContaining(word) })
      const again = () =>
        service.call('POST', `/v1/console/items/${hit.sourceItemId}/sync`, {
          key: owner.token,
          headers: { 'X-Organization-Id': organization.id },
        })
      expect((await again()).body, provider).toEqual({ outcome: 'unchanged', reason: null })
      remove()
      expect((await again()).body, provider).toEqual({ outcome: 'deleted', reason: null })
      expect((await again()).status, provider).toBe(404)
    }
  })

  it('deletes with the next run what was deleted at the provider', async () => {
    const { slack, google, notion } = service.emulators
    const channel = slack.state.channels()[0]?.id ?? ''
    const message = slack.state.allMessages(channel).find(({ text }) => text.includes('zeppelin'))
    slack.state.delete(channel, message?.ts ?? '')
    const file = google.drive.create({
      name: 'Zymurgy notes',
      content: 'zymurgy barrels',
      mimeType: 'text/plain',
    })
    const mail = google.mail.deliver({ subject: 'Yacht', text: 'quixotic yacht plans' })
    await syncAgain('google_drive')
    await syncAgain('gmail')
    expect(
      (await search('zymurgy barrels')).map((hit: { title: string; provider: string }) => hit.title),
    ).toContain('Zymurgy notes')
    expect(JSON.stringify(await search('quixotic yacht'))).toContain('quixotic yacht plans')
    google.drive.trash(idOf(file))
    google.mail.trash(idOf(mail))
    const page = [...notion.state.objects.values()].find((one) => notion.state.isVisible(one))
    notion.state.trash(page?.id ?? '')
    for (const provider of ALL_PROVIDERS) {
      const run = await syncAgain(provider)
      expect(run, provider).toMatchObject({ status: 'succeeded' })
    }
    expect(JSON.stringify(await search('zeppelin hangar'))).not.toContain('zeppelin')
    expect(JSON.stringify(await search('zymurgy barrels'))).not.toContain('zymurgy')
    expect(JSON.stringify(await search('quixotic yacht'))).not.toContain('quixotic')
  })

  it('revokes the grant at the provider when the source is deleted, with all its items', async () => {
    const id = sources.get('notion') ?? ''
    const grants = service.emulators.notion.requests.byPath()['/v1/oauth/revoke'] ?? 0
    const answer = await service.call('DELETE', `/v1/console/sources/${id}`, {
      key: owner.token,
      headers: { 'X-Organization-Id': organization.id },
    })
    expect(answer.status).toBe(200)
    expect(service.emulators.notion.requests.byPath()['/v1/oauth/revoke']).toBe(grants + 1)
    const hits = await search('notes about the release')
    expect(hits.filter((hit: { title: string; provider: string }) => hit.provider === 'notion')).toEqual([])
  })
})

function idOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'object' && value !== null && 'id' in value) return String(value.id)
  throw new Error('no id')
}
