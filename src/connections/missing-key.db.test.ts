import { Writable } from 'node:stream'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  type ConnectedService,
  startConnectedService,
  type Workspace,
} from '../../test/support/connected-service.ts'
import { startTestService } from '../../test/support/service.ts'
import { createLogger } from '../process/logger.ts'

let service: ConnectedService
let workspace: Workspace
let sourceId: string

beforeAll(async () => {
  // It takes no runs: the service started with another key does.
  service = await startConnectedService({ service: { environment: { ROLE: 'api' } } })
  workspace = await service.workspace()
  sourceId = await service.connect(workspace.owner, workspace.organization.id, 'slack')
})
afterAll(() => service.close())

/** Restarts the deployment with that ENCRYPTION_KEY, or with the key it stores in an empty DATA_DIR. */
async function startAgain(environment: Record<string, string>) {
  const log: Record<string, unknown>[] = []
  const stream = new Writable({
    write(chunk, _encoding, done) {
      log.push(JSON.parse(String(chunk)))
      done()
    },
  })
  const { emulators, issuer, database } = service
  const again = await startTestService({
    environment: { ...emulators.environment, ...issuer.environment, ...environment },
    logger: createLogger('error', stream),
    database,
  })
  return { ...again, log }
}

it.each([
  ['another ENCRYPTION_KEY', { ENCRYPTION_KEY: Buffer.alloc(32, 8).toString('base64') }],
  ['a DATA_DIR that has lost its key', {}],
])(
  'started with %s, the service and its sources report it, and everything else works',
  async (_, environment) => {
    const { organization } = workspace
    const again = await startAgain(environment)
    try {
      // Ends the run that connecting queued, unless it has ended.
      const body = { connectorId: sourceId }
      await service.call('POST', '/v1/sync-runs', { key: organization.adminKey, body })
      expect(await service.runEnded(organization, sourceId)).toMatchObject({
        status: 'failed',
        errorMessage: expect.stringContaining('cannot be decrypted with ENCRYPTION_KEY'),
      })
      expect(await service.findSource(organization, sourceId)).toMatchObject({
        status: 'error',
        errorMessage: expect.stringMatching(/restore the key .* or connect the account again$/),
      })
      const withKey = { key: organization.adminKey }
      expect(await again.call('GET', `/v1/sources/${sourceId}/channels`, withKey)).toMatchObject({
        status: 503,
        body: { code: 'not_configured', error: expect.stringContaining('ENCRYPTION_KEY') },
      })
      expect((await again.call('POST', '/v1/search', { ...withKey, body: { query: 'x' } })).status).toBe(200)
      const told = again.log.filter((line) => JSON.stringify(line).includes('of the stored grants'))
      expect(told).toMatchObject([
        {
          level: 50,
          err: {
            message: expect.stringMatching(/^ENCRYPTION_KEY: 1 of the stored grants cannot be decrypted/),
          },
        },
      ])
    } finally {
      await again.close()
    }
  },
)
