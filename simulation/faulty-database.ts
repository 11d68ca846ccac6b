import type { OpenDatabase } from '../src/database/database.ts'
import { conflict, lostConnection, throughDatabase } from '../test/support/failing-database.ts'
import { type Faults, statementName } from './faults.ts'
import { never, type SimulatedProcess } from './processes.ts'
import type { SimulatedTime } from './simulated-time.ts'

const DELAY_MS = 4_000

/** One process's connection to the database. It fails by the seed's faults, and permanently when the process dies. */
export function faultyDatabase(
  inner: OpenDatabase,
  {
    process,
    time,
    faults,
    driver,
  }: {
    process: SimulatedProcess
    time: SimulatedTime
    faults: Faults
    driver: OpenDatabase['driver']
  },
): OpenDatabase {
  async function run<Result>(text: string, act: () => Promise<Result>): Promise<Result> {
    if (process.isDead) return await never()
    const name = statementName(text)
    const fault = faults.next('database', name)
    if (fault === 'delay') await time.sleep(Math.ceil(faults.size(name) * DELAY_MS))
    if (fault === 'kill before') process.kill()
    if (process.isDead) return await never()
    if (fault === 'refused') throw lostConnection()
    if (fault === 'conflict') throw conflict()
    const result = await time.outside(act)
    if (fault === 'kill after') process.kill()
    if (process.isDead) return await never()
    if (fault === 'lost answer') throw lostConnection()
    return result
  }
  const { db, rollbackAll } = throughDatabase(inner.db, {
    run,
    begin: () => (process.isDead ? never() : Promise.resolve()),
  })
  // The server ends the transactions of a dead process.
  void process.death.then(() => time.outside(rollbackAll))
  return { ...inner, db, driver, openPatient: null, files: null }
}
