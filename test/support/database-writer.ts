import { writeSync } from 'node:fs'
import { sql } from 'kysely'
import { openDatabase } from '../../src/database/open-database.ts'

// Writes rows until it is killed, and prints each row's number on its own line after the commit. Arguments: the data
// directory, the first number, and optionally a PostgreSQL URL instead of the directory.
const [dataDir = '', first = '0', databaseUrl] = process.argv.slice(2)
const WRITERS = 4

const { db } = await openDatabase({
  dataDir,
  databaseUrl,
  logger: console,
})
await sql`create table if not exists written (n integer primary key, payload text not null)`.execute(db)

let next = Number(first)
async function writeForEver(): Promise<never> {
  for (;;) {
    const n = next++
    await db.transaction().execute(async (tx) => {
      await sql`insert into written values (${n}, repeat('x', 2000))`.execute(tx)
      await sql`update written set payload = 'changed' where n = ${n}`.execute(tx)
    })
    writeSync(1, `${n}\n`)
  }
}
await Promise.all(Array.from({ length: WRITERS }, writeForEver))
