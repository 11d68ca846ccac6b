import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadBuiltinModel } from '../../src/inference/embedding-models/builtin/builtin.ts'
import { type ConnectedService, sleepBriefly, startConnectedService } from '../support/connected-service.ts'
import { readPage, testedBlock } from '../support/doc-pages.ts'
import { createDocShell, type DocShell } from '../support/doc-shell.ts'
import { documentOf, push } from '../support/documents.ts'
import { startIssuer, type TestIssuer } from '../support/issuer.ts'
import { control, type PaidService, startPaidService } from '../support/paid-service.ts'
import { signIn } from '../support/people.ts'
import { startTestService, type TestService } from '../support/service.ts'

let shell: DocShell
beforeAll(async () => {
  shell = await createDocShell()
})
afterAll(() => shell.close())

const copied = (
  page: string,
  name: string,
  env: Record<string, string>,
  replace: Record<string, string> = {},
): Promise<string> => shell.copied(page, name, { env, replace })

/** A block of a page. */
const blockOf = async (page: string, name: string): Promise<string> => testedBlock(await readPage(page), name)

describe('docs/tutorials/connect-slack.md', () => {
  const page = 'docs/tutorials/connect-slack.md'
  let connected: ConnectedService
  beforeAll(async () => {
    connected = await startConnectedService({
      service: { embeddingModel: await loadBuiltinModel(), sleep: sleepBriefly },
    })
  })
  afterAll(() => connected.close())

  it('answers from a message that was posted in a connected channel', async () => {
    const { organization, owner } = await connected.workspace()
    const source = await connected.connect(owner, organization.id, 'slack')
    await connected.runEnded(organization, source)
    await copied(page, 'post', {}, { 'http://127.0.0.1:8801': connected.emulators.slack.url })
    await connected.sync(organization, source)
    const environment = { MEMORY_URL: connected.url, MEMORY_API_KEY: organization.adminKey }
    const [expected = ''] = (await blockOf(page, 'ask slack, output')).split('…')
    expect(await copied(page, 'ask slack', environment)).toContain(expected)
  })
})

describe('docs/guides', () => {
  let service: TestService
  let issuer: TestIssuer
  beforeAll(async () => {
    issuer = await startIssuer()
    service = await startTestService({ environment: issuer.environment })
  })
  afterAll(async () => {
    await service.close()
    await issuer.close()
  })

  it('move-here.md stores the memories of mem0, page by page', async ({ skip }) => {
    if (!shell.hasPython) skip('there is no Python')
    const { adminKey } = await service.organization()
    await writeFile(path.join(shell.home, 'mem0.py'), MEM0)
    const page = 'docs/guides/move-here.md'
    const script = path.join(shell.home, 'mem0_pages.py')
    await writeFile(script, testedBlock(await readPage(page), 'mem0_pages.py'))
    const memories = path.join(shell.home, 'memories.jsonl')
    await shell.shell(`python3 ${script} alice > ${memories}`, { env: { PYTHONPATH: shell.home } })
    const env = { MEMORY_URL: service.url, MEMORY_API_KEY: adminKey }
    await copied(page, 'import from mem0', env, { 'memories.jsonl': memories })
    expect(await externalIdsOf(adminKey)).toEqual(['mem0/1-alice', 'mem0/2-alice'])
  })

  it('move-here.md moves a workspace', async () => {
    const [from, to] = [await service.organization(), await service.organization()]
    await push(service, from, documentOf(from), documentOf(from, { externalId: 'b', metadata: { a: 1 } }))
    const [exporting = '', importing = ''] = (
      await blockOf('docs/guides/move-here.md', 'move a workspace')
    ).split('\n')
    const replace = { 'workspace.jsonl': path.join(shell.home, 'workspace.jsonl') }
    const env = (key: string) => ({ MEMORY_URL: service.url, MEMORY_API_KEY: key })
    await shell.shell(exporting, { env: env(from.adminKey), replace })
    await shell.shell(importing, { env: env(to.adminKey), replace })
    expect(await externalIdsOf(to.adminKey)).toEqual(['b', 'pto'])
  })

  async function externalIdsOf(key: string): Promise<string[]> {
    const { body } = await service.call('GET', '/v1/source-items?provider=notion', { key })
    return body.sourceItems.map(({ externalId }: { externalId: string }) => externalId).toSorted()
  }

  it('provision-people.md checks an address and a token', async () => {
    const { id } = await service.organization()
    const { secret } = await createScimToken(id)
    const page = 'docs/guides/provision-people.md'
    const printed = await copied(page, 'scim', { MEMORY_URL: service.url, TOKEN: secret })
    expect(JSON.parse(printed)).toEqual(JSON.parse(await blockOf(page, 'scim, output')))
  })

  async function createScimToken(organizationId: string): Promise<{ secret: string }> {
    const { token } = await signIn(service, issuer, 'owner', { organizationId, role: 'owner' })
    const { body } = await service.call('POST', '/v1/console/scim-tokens', {
      key: token,
      body: { name: 'Okta' },
    })
    return body
  }
})

/** mem0's client with a memory on each of two pages. */
const MEM0 = `
class MemoryClient:
    def get_all(self, filters, page, page_size):
        user = filters["user_id"]
        return {"results": [{"id": f"{page}-{user}", "memory": f"{user} likes tea {page}"}] if page < 3 else []}
`

describe('docs/tutorials/sell-plans.md', () => {
  const page = 'docs/tutorials/sell-plans.md'
  let paid: PaidService
  beforeAll(async () => {
    paid = await startPaidService()
  })
  afterAll(() => paid.close())

  it('buys a plan in the emulator, shows it, and uses its credits', async () => {
    const { owner } = await paid.customer('shopkeeper')
    const environment = { MEMORY_URL: paid.service.url, MEMORY_CONSOLE_TOKEN: owner.token }
    const printed = await copied(page, 'checkout', environment, { 'export WORKSPACE=…': ': ' })
    const WORKSPACE = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(printed)?.[0] ?? ''
    const session = [...paid.stripe.account.checkoutSessions.keys()].at(-1)
    await control(paid.stripe, 'pay', { session, card: '4242424242424242' })
    await paid.stripe.eventsSent()
    const shown = await copied(page, 'billing show', { ...environment, WORKSPACE })
    expect(shown).toContain(await blockOf(page, 'billing show, output'))
    const codes = await copied(
      page,
      'use up',
      { ...environment, WORKSPACE },
      {
        // Three searches stand for the whole plan, whose cap other tests reach.
        '[1-5001]': '[1-3]',
        'http://127.0.0.1:8787': paid.service.url,
        '$(npm run -s memory -- token)': owner.token,
      },
    )
    expect(codes.trim()).toBe('3 200')
  })
})
