import { randomUUID } from 'node:crypto'
import type { LogEvent } from 'kysely'
import { Client, DatabaseError } from 'pg'
import type { OpenDatabase } from '../../src/database/database.ts'
import { embeddedDatabase } from '../../src/database/drivers/embedded.ts'
import { openPostgres } from '../../src/database/drivers/postgres.ts'
import { templateName, workerUrls } from './database-setup.ts'
import { giveBackEmbedded, takeEmbedded } from './embedded-databases.ts'

export interface TestDatabase extends OpenDatabase {
  /**
   * Where a second instance can connect to the same database; null for the embedded one, which allows one process.
   */
  readonly url: string | null
}

/**
 * A migrated, empty database on this run's driver (`TEST_DRIVER`). Closing drops it.
 * @param onStatement called with every statement
 */
export function createTestDatabase(onStatement?: (event: LogEvent) => void): Promise<TestDatabase> {
  return process.env.TEST_DRIVER === 'postgres' ? cloneOnPostgres(onStatement) : takeOnEmbedded(onStatement)
}

async function takeOnEmbedded(onStatement?: (event: LogEvent) => void): Promise<TestDatabase> {
  const thread = await takeEmbedded()
  const database = embeddedDatabase(thread, { onStatement })
  let closed: Promise<void> | undefined
  return {
    ...database,
    url: null,
    close() {
      // Once destroyed it accepts no statement: late ones must not reach the next test that uses the database.
      closed ??= database.db.destroy().then(() => giveBackEmbedded(thread))
      return closed
    },
  }
}

async function cloneOnPostgres(onStatement?: (event: LogEvent) => void): Promise<TestDatabase> {
  const serverUrl = process.env.TEST_DATABASE_URL
  if (serverUrl === undefined) throw new Error('TEST_DATABASE_URL is not set')
  const name = `test_${Math.floor(Date.now() / 1000)}_${randomUUID().slice(0, 8)}`
  await cloneTemplate(serverUrl, name)
  const url = new URL(serverUrl)
  url.pathname = name
  const database = await openPostgres({ url: url.href, onStatement })
  return {
    ...database,
    url: url.href,
    async close() {
      await database.close()
      await dropDatabase(serverUrl, name)
    },
  }
}

/** SQLSTATE object_in_use. */
const OBJECT_IN_USE = '55006'

/** Creates a migrated, empty database on a server, and on its workers. `makeTemplate` comes before. */
export async function cloneTemplate(serverUrl: string, name: string): Promise<void> {
  await onServers(serverUrl, `create database ${name} template ${templateName()}`)
}

/** Citus's own connections may come back between their end and the removal. */
export async function dropDatabase(serverUrl: string, name: string, attempts = 5): Promise<void> {
  try {
    await onServers(serverUrl, `drop database if exists ${name} with (force)`)
  } catch (error) {
    if (attempts === 1 || !(error instanceof DatabaseError && error.code === OBJECT_IN_USE)) throw error
    await dropDatabase(serverUrl, name, attempts - 1)
  }
}

/** On distributed PostgreSQL each server has a part of a database. */
async function onServers(url: string, statement: string): Promise<void> {
  for (const connectionString of [url, ...workerUrls()]) {
    const client = new Client({ connectionString })
    await client.connect()
    try {
      await client.query(statement)
    } finally {
      await client.end()
    }
  }
}
