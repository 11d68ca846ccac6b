import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { makeDataDir } from '../support/data-dir.ts'
import { rounds, seededRandom } from '../support/random.ts'
import {
  launchService,
  PROCESS_ADMIN_KEY,
  type ServiceProcess,
  untilReady,
} from '../support/service-process.ts'
import { until } from '../support/until.ts'

const random = seededRandom('killed ingest')

const DOCUMENTS = 1_000

const Sources = z.object({ sources: z.array(z.object({ id: z.string(), provider: z.string() })) })
const Items = z.object({
  sourceItems: z.array(z.object({ externalId: z.string() })),
  nextCursor: z.string().nullable(),
})
const Events = z.object({ auditEvents: z.array(z.object({ action: z.string(), metadata: z.unknown() })) })

let dataDir: string
let service: ServiceProcess

beforeEach(async () => {
  dataDir = await makeDataDir('memory-killed-ingest-')
  await start()
})
afterEach(async () => {
  await kill()
  await rm(dataDir, { recursive: true, force: true })
})

async function start(): Promise<void> {
  service = await launchService({ DATA_DIR: dataDir, LOG_LEVEL: 'error' })
  await untilReady(service)
}

async function kill(): Promise<void> {
  service.child.kill('SIGKILL')
  await service.ended()
}

async function call(method: string, path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(service.url + path, {
    method,
    headers: { Authorization: `Bearer ${PROCESS_ADMIN_KEY}`, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  expect(response.status).toBe(200)
  return await response.json()
}

/** The source of the documents; a restart keeps it. */
async function findSource(): Promise<string | undefined> {
  const { sources } = Sources.parse(await call('GET', '/v1/sources'))
  return sources.find(({ provider }) => provider === 'notion')?.id
}

/** The largest request, with several chunks per document. @returns whether it was answered */
async function push(connectorId: string | undefined, kind: string): Promise<boolean> {
  const documents = Array.from({ length: DOCUMENTS }, (_, n) => ({
    connectorId,
    provider: 'notion',
    sourceKind: 'document',
    externalId: `${kind}-${n}`,
    title: `${kind} ${n}`,
    body: `The ${kind} of number ${n} is here. `.repeat(60),
  }))
  return await call('POST', '/v1/ingest', { documents }).then(
    () => true,
    () => false,
  )
}

async function stored(kind: string): Promise<string[]> {
  const ids: string[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const page = Items.parse(await call('GET', `/v1/source-items?limit=200${query}`))
    ids.push(...page.sourceItems.map(({ externalId }) => externalId))
    cursor = page.nextCursor
  }
  return ids.filter((id) => id.startsWith(`${kind}-`))
}

async function recorded(): Promise<unknown[]> {
  const { auditEvents } = Events.parse(await call('GET', '/v1/audit-events'))
  return auditEvents.filter(({ action }) => action === 'source_item.ingest').map(({ metadata }) => metadata)
}

const whole = { documents: DOCUMENTS, ingested: DOCUMENTS, skipped: 0 }

describe('a service killed while it ingests a thousand documents', () => {
  it('has all of them once after the next start if any was visible, with one event [ING-6]', async () => {
    const answered = push(await findSource(), 'seen')
    const seen = async (): Promise<number> =>
      Items.parse(await call('GET', '/v1/source-items?limit=1')).sourceItems.length
    await until('the first document', seen, (count) => count > 0)
    await kill()
    expect(await answered).toBe(false)
    await start()
    const ids = await stored('seen')
    expect([ids.length, new Set(ids).size]).toEqual([DOCUMENTS, DOCUMENTS])
    expect(await recorded()).toEqual([whole])
  })

  it('has all of them or none, whenever it is killed [ING-6]', async () => {
    const connectorId = await findSource()
    let events = 0
    for (let round = 0; round < rounds(2); round++) {
      const kind = `round-${round}`
      const answered = push(connectorId, kind)
      await sleep(random() * 1_500)
      await kill()
      const wasAnswered = await answered
      await start()
      const { length } = await stored(kind)
      expect(wasAnswered ? [DOCUMENTS] : [0, DOCUMENTS]).toContain(length)
      if (length > 0) events += 1
      expect(await recorded()).toHaveLength(events)
    }
  })
})
