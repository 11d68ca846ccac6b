import { mkdir, open } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createBackups, restoreBackup } from '../../../src/backup/index.ts'
import { keptEncryptionKey } from '../../../src/assembly/encryption-keys.ts'
import { openDatabase } from '../../../src/database/open-database.ts'
import type { OpenDatabase } from '../../../src/database/database.ts'
import { systemClock } from '../../../src/kernel/clock.ts'
import { createModelMove, createModelRegistry } from '../../../src/models/index.ts'
import { documentOf, push } from '../documents.ts'
import { createFakeProvider } from '../fake-provider.ts'
import { hashEmbeddingModel } from '../hash-embedding-model.ts'
import { journaledProcess } from '../journaled-process.ts'
import { startTestService, type TestOrganization, type TestService } from '../service.ts'
import { startSyncBench } from '../sync.ts'

export const PHASES = ['key', 'ingest', 'sync', 'move', 'backup', 'restore'] as const
export type Phase = (typeof PHASES)[number]

/** What a caller knows: a change was started, or acknowledged. */
export type Mark =
  | { kind: 'phase'; phase: Phase }
  /** @param changes bodies of items by their external ids; null: deleted. `isWhole`: all or nothing */
  | { kind: 'begin'; step: number; changes: Readonly<Record<string, string | null>>; isWhole: boolean }
  | { kind: 'end'; step: number }
  | { kind: 'key'; key: string }
  | { kind: 'moved' }
  | { kind: 'backed up' }
  | { kind: 'restoring' }
  | { kind: 'restored' }

export const silentLogger = { error: () => {}, warn: () => {}, info: () => {} }
export const oldModel = hashEmbeddingModel()
const newModel = hashEmbeddingModel({ id: 'hash-2', dimensions: 96 })

/** The folders of a root: the service's own, a backup, and the folder restored from it. */
export const placesIn = (root: string) => ({
  dataDir: path.join(root, 'data'),
  backup: path.join(root, 'backup.zst'),
  restored: path.join(root, 'restored'),
})

/** Makes a service do everything that writes to its disk. */
export async function runWorkload(root: string, onMark: (mark: Mark) => void): Promise<void> {
  const { dataDir, backup, restored } = placesIn(root)
  const phase = (name: Phase): void => onMark({ kind: 'phase', phase: name })
  const database = await openDatabase({ dataDir, databaseUrl: undefined, logger: silentLogger })
  const service = await startTestService({ database: { ...database, url: null }, dataDir })
  try {
    phase('key')
    onMark({ kind: 'key', key: (await keptEncryptionKey(dataDir)).toString('base64') })
    const workload = new Workload(service, await service.organization(), onMark)
    phase('ingest')
    await workload.ingest()
    phase('sync')
    await workload.sync()
    phase('move')
    await moveModels(database)
    onMark({ kind: 'moved' })
    phase('backup')
    await takeBackup(database, dataDir, backup)
    onMark({ kind: 'backed up' })
    phase('restore')
    onMark({ kind: 'restoring' })
    await restoreBackup({ file: backup, dataDir: restored, replaces: false, now: new Date() })
    onMark({ kind: 'restored' })
    await restoreBackup({ file: backup, dataDir: restored, replaces: true, now: new Date() })
  } finally {
    await service.close()
    await database.close()
  }
}

class Workload {
  readonly #service: TestService
  readonly #organization: TestOrganization
  readonly #onMark: (mark: Mark) => void
  #steps = 0

  constructor(service: TestService, organization: TestOrganization, onMark: (mark: Mark) => void) {
    this.#service = service
    this.#organization = organization
    this.#onMark = onMark
  }

  /** Marks the start of changes. The returned function marks their acknowledgment. */
  #begin(changes: Readonly<Record<string, string | null>>, isWhole = true): () => void {
    const step = this.#steps++
    this.#onMark({ kind: 'begin', step, changes, isWhole })
    return () => this.#onMark({ kind: 'end', step })
  }

  async #push(changes: Record<string, string>): Promise<void> {
    const end = this.#begin(changes)
    const documents = Object.entries(changes).map(([externalId, body]) =>
      documentOf(this.#organization, { externalId, body }),
    )
    const { status, text } = await push(this.#service, this.#organization, ...documents)
    if (status !== 200) throw new Error(`ingest answered ${status}: ${text}`)
    end()
  }

  async #delete(externalId: string): Promise<void> {
    const end = this.#begin({ [externalId]: null })
    const address = `/v1/source-items?provider=notion&externalId=${externalId}`
    const { status, text } = await this.#service.call('DELETE', address, { key: this.#organization.adminKey })
    if (status !== 200) throw new Error(`a deletion answered ${status}: ${text}`)
    end()
  }

  /** Small requests, deletions, database maintenance, and concurrent large requests with several transactions. */
  async ingest(): Promise<void> {
    for (let round = 0; round < 12; round++) {
      for (let n = 0; n < 3; n++)
        await this.#push({
          [`small-${(round + n) % 7}`]: `Round ${round}, number ${n}.`,
          [`pair-${n}`]: `Round ${round}.`,
        })
      if (round % 3 === 0) await this.#delete(`small-${round % 7}`)
      if (round % 4 === 1) await this.#pushMany(round)
      if (round % 4 === 3) await this.#service.database.flush()
    }
  }

  async #pushMany(round: number): Promise<void> {
    const bodies = Array.from({ length: 60 }, (_, n) => `Round ${round} has document ${n}. `.repeat(120))
    const pushed = new AbortController()
    const pushing = this.#push(Object.fromEntries(bodies.map((body, n) => [`many-${n}`, body]))).finally(() =>
      pushed.abort(),
    )
    while (!pushed.signal.aborted)
      await this.#service.call('GET', '/v1/sources', { key: this.#organization.adminKey })
    await pushing
  }

  /** Two runs of several pages: a crawl, and one with changes and a deletion. */
  async sync(): Promise<void> {
    const { database } = this.#service
    const bench = await startSyncBench(database)
    const provider = createFakeProvider('notion', { pageSize: 6 })
    const { items } = journaledProcess(database.db, { isAwaited: database.isAwaited })
    const worker = bench.worker(provider.adapter, { items })
    const source = await bench.connect()
    const contents = new Map<string, string>()
    const run = async (changed: Readonly<Record<string, string | null>>): Promise<void> => {
      for (const [id, body] of Object.entries(changed)) {
        if (body === null) provider.remove(id)
        else provider.put(id, body)
      }
      const end = this.#begin(changed, false)
      await bench.queue(source)
      await worker.settle()
      if (bench.errors.length > 0) throw bench.errors[0]
      if ((await bench.newestRun(source)).status !== 'succeeded') throw new Error('a run did not succeed')
      end()
    }
    for (let n = 0; n < 30; n++) contents.set(`synced-${n}`, `Page ${n}. `.repeat(n * 20 + 1))
    await run(Object.fromEntries(contents))
    await run({ 'synced-3': 'Page 3 was changed.', 'synced-4': null, 'synced-31': 'Page 31 is new.' })
    await worker.stop()
  }
}

/** A model move, in a process that is configured for the new model. */
export async function moveModels(database: OpenDatabase): Promise<void> {
  const configured = { ...newModel, replaces: [oldModel.id] }
  const models = createModelRegistry({ configured, builtin: async () => oldModel })
  const move = createModelMove({
    db: database.db,
    models,
    clock: systemClock,
    logger: silentLogger,
    works: true,
  })
  await move.resume()
  const moves = await database.db.selectFrom('reembeddings').select(['status', 'error_message']).execute()
  const ended = moves.filter(({ status }) => status === 'succeeded')
  if (ended.length === 0 || ended.length < moves.length)
    throw new Error(`a model's move did not end: ${moves.map(({ error_message: reason }) => reason).join()}`)
  await move.stop()
}

async function takeBackup(database: OpenDatabase, dataDir: string, file: string): Promise<void> {
  const backups = createBackups({
    database,
    settings: { DATA_DIR: dataDir },
    clock: systemClock,
    logger: silentLogger,
  })
  const { bytes } = await backups.begin({ withEncryptionKey: true })
  await mkdir(path.dirname(file), { recursive: true })
  const handle = await open(file, 'wx', 0o600)
  await pipeline(bytes, handle.createWriteStream({ flush: true }))
}
