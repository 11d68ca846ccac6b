import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../src/database/database.ts'

const ITEMS = 100_000
const ENTITIES = 50_000
const MENTIONS_AN_ITEM = 6

/**
 * Items in a new workspace's four sources with named entities, few of them in very many items and most in
 * few.
 */
export async function fillCanvas(db: Db): Promise<void> {
  const { id: organizationId } = await db.selectFrom('organizations').select('id').executeTakeFirstOrThrow()
  const org = sql`${organizationId}::uuid`
  // UUIDs of version 8, which responses accept.
  const uuid = (text: ReturnType<typeof sql>) =>
    sql`overlay(overlay(md5(${text}) placing '8' from 13) placing 'a' from 17)::uuid`
  const entity = (n: ReturnType<typeof sql>) => uuid(sql`'entity' || ${n}`)
  await sql`
    insert into source_items (organization_id, id, provider, external_id, source_id, source_kind, title, body, metadata, content_sha256,
      canvas_sha256, synced_at, created_at, updated_at)
    select ${org}, ${uuid(sql`'item' || n`)}, s.provider, 'item' || n, s.id, 'document', 'Title ' || n, 'Body ' || n, '{}', '\\x01', '\\x01', now(), now(), now()
    from generate_series(1, ${ITEMS}::int) n
    join (select id, provider, row_number() over (order by provider) - 1 as place from sources where organization_id = ${org}) s
      on s.place = n % 4`.execute(db)
  await sql`
    insert into entities (organization_id, id, type, key, alias, rank)
    select ${org}, ${entity(sql`n`)}, (array['person', 'organization', 'channel', 'topic', 'topic'])[n % 5 + 1], 'bench:' || n,
      (array['given' || n % 4000 || ' family' || n, 'name ' || n, 'name ' || n, 'topic' || n, 'name ' || n])[n % 5 + 1], 2
    from generate_series(1, ${ENTITIES}::int) n`.execute(db)
  await sql`
    insert into entities (organization_id, id, type, key, rank)
    select ${org}, id, 'source', 'source:' || id, 4 from sources where organization_id = ${org}`.execute(db)
  // The number of an entity's items falls with the cube of a uniform number, so few have very many.
  await sql`
    insert into item_entities (organization_id, source_item_id, entity_id, source_id, role, names, seen_at)
    select ${org}, i.id, e.id, i.source_id, (array['author', 'mention', 'mention', 'channel', 'mention', 'mention'])[k], array[e.alias],
      now() - interval '1 minute' * (hashtext(i.external_id) & 65535)
    from source_items i
    cross join generate_series(1, ${MENTIONS_AN_ITEM}::int) k
    join entities e on e.organization_id = ${org}
      and e.id = ${entity(sql`(1 + floor(power((hashtext(i.external_id || ':' || k) & 1048575) / 1048576.0, 3) * ${ENTITIES}::int))::int`)}
    where i.organization_id = ${org}
    on conflict do nothing`.execute(db)
  await sql`
    insert into item_entities (organization_id, source_item_id, entity_id, source_id, role, names, seen_at)
    select ${org}, id, source_id, source_id, 'source', '{}', now() from source_items where organization_id = ${org}`.execute(
    db,
  )
  await sql`
    insert into entity_totals (organization_id, source_id, entity_id, type, items, authored)
    select ${org}, m.source_id, m.entity_id, e.type, count(*), count(*) filter (where m.role = 'author')
    from item_entities m join entities e on e.organization_id = m.organization_id and e.id = m.entity_id
    where m.organization_id = ${org} group by 1, 2, 3, 4`.execute(db)
  await sql`
    insert into entity_names (organization_id, source_id, entity_id, name, alias, words, items)
    select ${org}, t.source_id, t.entity_id, e.alias, e.alias, e.alias, t.items
    from entity_totals t join entities e on e.organization_id = t.organization_id and e.id = t.entity_id
    where t.organization_id = ${org} and e.alias is not null`.execute(db)
  for (const table of ['source_items', 'entities', 'item_entities', 'entity_totals', 'entity_names'])
    await sql`vacuum analyze ${sql.table(table)}`.execute(db)
}

/** Sets the canvas revision as a change would, which enables the cache of graphs. */
export async function keepRevision(db: Db): Promise<void> {
  const { id } = await db.selectFrom('organizations').select('id').executeTakeFirstOrThrow()
  await db.insertInto('canvas_work').values({ organization_id: id, revision: randomUUID() }).execute()
}
