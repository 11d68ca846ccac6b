import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { routes } from '../../src/assembly/routes.ts'
import { exampleOf } from '../../src/http/examples.ts'
import { anEntity } from '../support/canvas.ts'
import { EXAMPLE_ID } from '../../src/kernel/schemas.ts'
import { type ConnectedService, startConnectedService, type Workspace } from '../support/connected-service.ts'
import { push } from '../support/documents.ts'
import type { AnyRoute } from '../support/route-calls.ts'
import type { Answer } from '../support/service.ts'

let service: ConnectedService
let workspace: Workspace
let slackSource: string

beforeAll(async () => {
  service = await startConnectedService()
  workspace = await service.workspace()
  slackSource = await service.connect(workspace.owner, workspace.organization.id, 'slack')
  await service.runEnded(workspace.organization, slackSource)
})
afterAll(() => service.close())

const agentRoutes = routes.filter(({ access }) => access.surface === 'agent')

/** Real ids in place of an example's placeholder ids, by operation; nothing else changes. */
async function realIds({ operationId }: AnyRoute): Promise<Record<string, string>> {
  const { organization } = workspace
  const ofSlack = ['listSourceChannels', 'updateSource', 'createSyncRun'].includes(operationId)
  const runs = await service.call('GET', '/v1/sync-runs', { key: organization.adminKey })
  const items = await service.call('GET', '/v1/source-items?provider=notion', { key: organization.adminKey })
  const { id: apiKey } = await organization.mint({ actions: ['search'] })
  return {
    [EXAMPLE_ID.source]: ofSlack ? slackSource : organization.sources.notion,
    [EXAMPLE_ID.syncRun]: runs.body.syncRuns[0].id,
    [EXAMPLE_ID.sourceItem]: items.body.sourceItems[0].id,
    [EXAMPLE_ID.apiKey]: apiKey,
    [EXAMPLE_ID.entity]: await anEntity(service, organization),
  }
}

async function callExample(route: AnyRoute): Promise<Answer> {
  const real = await realIds(route)
  const filled = (value: unknown): string =>
    JSON.stringify(value).replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, (id) => real[id] ?? id)
  const params: Record<string, string> = JSON.parse(filled(route.params ? exampleOf(route.params) : {}))
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => String(params[name]))
  const query = new URLSearchParams(JSON.parse(filled(route.query ? exampleOf(route.query) : {})))
  return await service.call(route.method, query.size > 0 ? `${path}?${query.toString()}` : path, {
    key: workspace.organization.adminKey,
    ...(route.body
      ? { raw: filled(exampleOf(route.body)), headers: { 'Content-Type': 'application/json' } }
      : {}),
  })
}

describe('the examples of the reference', () => {
  it.each(agentRoutes.map((route) => [`${route.method} ${route.path}`, route] as const))(
    '%s succeeds unchanged, with ids of existing resources [REF-1]',
    async (_title, route) => {
      const example = routes.find(({ operationId }) => operationId === 'ingest')?.body
      if (!example) throw new Error('there is no ingest')
      // The ingest example stores what the next ones show and delete.
      const [document] = JSON.parse(JSON.stringify(exampleOf(example))).documents
      const connectorId = workspace.organization.sources.notion
      expect((await push(service, workspace.organization, { ...document, connectorId })).status).toBe(200)
      const makesGroup = agentRoutes.find(({ operationId }) => operationId === 'putGroup')
      if (makesGroup && route.path.startsWith('/v1/groups')) await callExample(makesGroup)
      const answer = await callExample(route)
      expect([200, 201, 202], answer.text).toContain(answer.status)
      expect(Object.keys(route.responses).map(Number)).toContain(answer.status)
    },
  )
})
