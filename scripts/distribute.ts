import { readSettings } from '../src/config.ts'
import { checkCluster } from '../src/database/distribution/check-cluster.ts'
import { distributeTables } from '../src/database/distribution/distribute.ts'
import { openPostgres } from '../src/database/drivers/postgres.ts'
import { migrate } from '../src/database/migrate.ts'
import { StartupError } from '../src/kernel/errors.ts'

/**
 * Distributes the tables of the database in `DATABASE_URL` over the workers of its Citus cluster
 * (docs/guides/scale-out.md).
 */
async function main(): Promise<void> {
  const url = readSettings(process.env).DATABASE_URL
  if (url === undefined) throw new StartupError('DATABASE_URL: set it to the coordinator of a Citus cluster')
  const database = await openPostgres({ url, connectionsMax: 1, isPatient: true })
  try {
    const { citus, workers } = await checkCluster(database.db)
    console.log(`Citus ${citus}, ${workers} servers that store rows`)
    for (const name of await migrate(database.db)) console.log(`migrated: ${name}`)
    let count = 0
    await distributeTables(database.db, (table, placement) => {
      count += 1
      console.log(`${placement}: ${table}`)
    })
    console.log(count === 0 ? 'Nothing to do: every table is distributed' : `${count} tables distributed`)
  } finally {
    await database.close()
  }
}

try {
  // The command changes the whole database, so a question about it must not run it.
  if (process.argv.length > 2) {
    console.error(
      'Usage: DATABASE_URL=postgres://… npm run distribute\n\nMoves the tables of the database to the workers of its Citus cluster (docs/guides/scale-out.md). Stop the service first.',
    )
    process.exitCode = process.argv[2] === '--help' ? 0 : 2
  } else await main()
} catch (error) {
  console.error(error instanceof StartupError ? error.message : error)
  process.exitCode = 1
}
