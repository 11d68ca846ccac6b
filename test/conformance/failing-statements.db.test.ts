import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { routes } from '../../src/assembly/routes.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { databaseContents } from '../support/database-contents.ts'
import { documentOf, push } from '../support/documents.ts'
import {
  anyOffset,
  type FailingDatabase,
  failingDatabase,
  type Fault,
  faultsAt,
} from '../support/failing-database.ts'
import { startIssuer, type TestIssuer } from '../support/issuer.ts'
import { signIn } from '../support/people.ts'
import { seededRandom } from '../support/random.ts'
import { type AnyRoute, callRoute, type Callers, ownId, pathOf } from '../support/route-calls.ts'
import { startTestService, type TestService } from '../support/service.ts'

/*
 * Each statement of each mutating request fails once. The request must then change nothing, or everything that it
 * changes without a fault. Changes are counted by table.
 */

let database: TestDatabase
let failing: FailingDatabase
let issuer: TestIssuer
let service: TestService
let number = 0

beforeAll(async () => {
  database = await createTestDatabase()
  failing = failingDatabase(database)
  issuer = await startIssuer()
  // Without background work, so that all statements belong to requests.
  service = await startTestService({
    database: failing.database,
    environment: { ...issuer.environment, ROLE: 'api' },
  })
})
afterAll(async () => {
  await service.close()
  await issuer.close()
  await database.close()
})

interface Prepared {
  callers: Callers
  path: string
  /** The database before the request. */
  before: Record<string, string>
}

/** A workspace with an owner and an item, and the path of a route for it. */
async function prepare(route: AnyRoute): Promise<Prepared> {
  const organization = await service.organization()
  const membership = { organizationId: organization.id, role: 'owner' as const }
  const { token } = await signIn(service, issuer, `owner-${number++}`, membership)
  await push(service, organization, documentOf(organization))
  const callers = { organization, ownerToken: token }
  const id = route.path.includes('{id}') ? await ownId(service, route, callers) : ''
  return { callers, path: pathOf(route, { id }), before: await databaseContents(database.db) }
}

/** How many rows each table gained or lost, without zeros. */
function difference(before: Record<string, string>, after: Record<string, string>): Record<string, number> {
  const rows = (state = ''): number => Number.parseInt(state, 10)
  const changed = Object.keys(after).map((name) => [name, rows(after[name]) - rows(before[name])] as const)
  return Object.fromEntries(changed.filter(([, more]) => more !== 0))
}

interface Outcome {
  status: number
  isUnchanged: boolean
  changed: Record<string, number>
  statements: number
  failed: string | null
}

async function attempt(
  route: AnyRoute,
  { callers, path, before }: Prepared,
  { at, fault }: { at: number; fault: Fault },
): Promise<Outcome> {
  let status = 0
  const ran = await failing.during(at, fault, async () => {
    try {
      ;({ status } = await callRoute(service, route, callers, { path }))
    } catch (error) {
      // A download that has begun breaks off.
      if (route.downloads.length === 0) throw error
    }
  })
  const after = await databaseContents(database.db)
  // A union of the tables is unordered on PostgreSQL, which reads them in parallel: the texts of both can differ.
  const isUnchanged = isDeepStrictEqual(before, after)
  return { status, isUnchanged, changed: difference(before, after), ...ran }
}

/** The rest of their changes follows in the background, with retries. */
const GOES_ON = new Set(['consoleDeleteSource'])

function compared({ operationId }: AnyRoute, { changed }: Outcome): Record<string, number> {
  return GOES_ON.has(operationId) ? { audit_events: changed.audit_events ?? 0 } : changed
}

const offset = anyOffset(seededRandom('failing statements'))

const changing = routes.filter(({ access, method }) => access.surface !== 'public' && method !== 'GET')

describe('a request with a failed statement changes all or nothing', () => {
  it.each(changing.map((route) => [`${route.method} ${route.path}`, route] as const))(
    '%s',
    async (_title, route) => {
      const whole = await attempt(route, await prepare(route), { at: 0, fault: 'refused' })
      const partly: object[] = []
      let prepared = await prepare(route)
      for (let at = 1; at <= whole.statements; at++)
        for (const fault of faultsAt(at, offset)) {
          const outcome = await attempt(route, prepared, { at, fault })
          const changed = compared(route, outcome)
          // A failure after the commit may return an error although everything has changed.
          const mayDiffer = outcome.status >= 400 && outcome.isUnchanged
          if (!mayDiffer && !isDeepStrictEqual(changed, compared(route, whole)))
            partly.push({ fault, at, failed: outcome.failed, status: outcome.status, changed })
          if (!outcome.isUnchanged) prepared = await prepare(route)
        }
      expect(partly).toEqual([])
    },
    120_000,
  )
})
