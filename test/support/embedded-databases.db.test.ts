import { expect, it } from 'vitest'
import { giveBackEmbedded, takeEmbedded } from './embedded-databases.ts'

it('a database is reused without the rows that a test left, and not after a change to its tables', async () => {
  const database = await takeEmbedded()
  await database.query(
    `insert into organizations (id, name, created_at) values (gen_random_uuid(), 'Left', now())`,
  )
  await database.query(`set statement_timeout = '1h'`)
  await giveBackEmbedded(database)

  const again = await takeEmbedded()
  expect(again).toBe(database)
  expect((await again.query('select from organizations')).rows).toEqual([])
  expect((await again.query('show statement_timeout')).rows).toEqual([{ statement_timeout: '0' }])

  await again.query('alter table organizations add column left_over text')
  await giveBackEmbedded(again)
  const other = await takeEmbedded()
  expect(other).not.toBe(again)
  await giveBackEmbedded(other)
})
