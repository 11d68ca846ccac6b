import { sql } from 'kysely'
import { admittedTooMany, fits, mayBeRefused } from './oracle.ts'
import { RETRIEVALS, type SimulatedOrganization } from './organizations.ts'
import type { World } from './world.ts'

const MINUTE_MS = 60_000
const REFUSALS_MS = 3 * MINUTE_MS

/** Checks that hold at any time. */
export async function checkAlways(world: World): Promise<void> {
  await checkRuns(world)
  for (const organization of world.organizations) {
    await checkCap(world, organization)
    checkRates(world, organization)
  }
}

/** Checks that hold once all work is done. */
export async function checkAtRest(world: World): Promise<void> {
  await checkAlways(world)
  for (const organization of world.organizations) {
    await checkDocuments(world, organization)
    await checkCredits(world, organization)
    await checkAudit(world, organization)
    await checkSources(world, organization)
    await checkOrphans(world, organization)
  }
  await checkCharges(world)
}

async function checkRuns(world: World): Promise<void> {
  const rows = await world.database.db
    .selectFrom('sync_runs')
    .select(['source_id', ({ fn }) => fn.countAll<string>().as('active')])
    .where('status', 'in', ['queued', 'running'])
    .groupBy('source_id')
    .having(({ fn }) => fn.countAll(), '>', 1)
    .execute()
  for (const { source_id: id, active } of rows) world.violate(`source ${id} has ${active} active runs`)
}

async function subscriptionOf(world: World, { id }: SimulatedOrganization) {
  return await world.database.db
    .selectFrom('subscriptions')
    .select(['credits_used', 'overage_answers'])
    .where('organization_id', '=', id)
    .executeTakeFirstOrThrow()
}

async function checkCap(world: World, organization: SimulatedOrganization): Promise<void> {
  const { plan, creditsIncluded, name, retrievals } = organization
  if (plan !== 'capped' || creditsIncluded === null) return
  const { credits_used: used } = await subscriptionOf(world, organization)
  if (used > creditsIncluded) world.violate(`${name} used ${used} of ${creditsIncluded} credits`)
  if (retrievals.acknowledged > creditsIncluded)
    world.violate(`${name} was answered ${retrievals.acknowledged} times with ${creditsIncluded} credits`)
}

function checkRates(world: World, organization: SimulatedOrganization): void {
  const { rateLimit } = world
  for (const key of organization.keys)
    for (const action of RETRIEVALS) {
      const own = (list: SimulatedOrganization['admissions']) =>
        list.filter((one) => one.key === key.id && one.action === action)
      const admitted = own(organization.admissions)
      const tooMany = admittedTooMany(admitted, rateLimit)
      if (tooMany > 0)
        world.violate(`${tooMany} requests for ${action} passed in a minute; the limit is ${rateLimit}`)
      const maybe = [...admitted, ...own(organization.maybeAdmitted)]
      for (const refusal of own(organization.refusals))
        if (!mayBeRefused(refusal, maybe, rateLimit))
          world.violate(`a request for ${action} was refused for rate though the minute had room`)
    }
  // A refusal is checked against the previous minute's admissions, so these are kept longer.
  forget(organization.refusals, world.time.now() - REFUSALS_MS)
  for (const list of [organization.admissions, organization.maybeAdmitted])
    forget(list, world.time.now() - REFUSALS_MS - MINUTE_MS)
}

function forget(list: SimulatedOrganization['admissions'], before: number): void {
  list.splice(0, list.length, ...list.filter(({ answeredAt }) => answeredAt > before))
}

async function checkDocuments(world: World, organization: SimulatedOrganization): Promise<void> {
  const rows = await world.database.db
    .selectFrom('source_items')
    .select(['provider', 'external_id', 'title', 'source_id'])
    .where('organization_id', '=', organization.id)
    .execute()
  const pushed = new Set(Object.values(organization.pushOnly))
  const stored = new Map(
    rows
      .filter((row) => pushed.has(row.source_id))
      .map((row) => [`${row.provider} ${row.external_id}`, row.title]),
  )
  for (const [name, register] of organization.documents) {
    const title = stored.get(name) ?? null
    const possible = register.since(register.now()).map(({ value }) => value?.title ?? null)
    if (!possible.includes(title))
      world.violate(
        `${name} of ${organization.name} is ${title ?? 'not stored'}; it should be ${possible.join(' or ')}`,
      )
    stored.delete(name)
  }
  for (const [name] of stored)
    world.violate(`${name} of ${organization.name} is stored, and nobody pushed it`)
}

/** The numbers of answers, credits and audited retrievals are equal. */
async function checkCredits(world: World, organization: SimulatedOrganization): Promise<void> {
  const { name, retrievals, plan, creditsIncluded } = organization
  const { db } = world.database
  const { events } = await db
    .selectFrom('audit_events')
    .select(({ fn }) => fn.countAll<string>().as('events'))
    .where('organization_id', '=', organization.id)
    .where('action', 'like', '%.retrieve')
    .executeTakeFirstOrThrow()
  const count = Number(events)
  if (!fits(count, retrievals))
    world.violate(
      `${name} has ${count} retrievals in its trail; ${retrievals.acknowledged} were answered and ${retrievals.unknown} perhaps`,
    )
  const held = await db
    .selectFrom('credit_reservations')
    .select('id')
    .where('organization_id', '=', organization.id)
    .execute()
  const { credits_used: used, overage_answers: over } = await subscriptionOf(world, organization)
  if (used !== count + held.length) world.violate(`${name} used ${used} credits for ${count} retrievals`)
  if (held.length > 0) world.violate(`${held.length} credits of ${name} are still reserved`)
  if (plan === 'metered' && over !== Math.max(0, count - (creditsIncluded ?? 0)))
    world.violate(
      `${name} is charged for ${over} of ${count} answers, although its plan includes ${creditsIncluded}`,
    )
}

async function checkAudit(world: World, organization: SimulatedOrganization): Promise<void> {
  const rows = await world.database.db
    .selectFrom('audit_events')
    .select(['action', 'target_id'])
    .where('organization_id', '=', organization.id)
    .execute()
  for (const [action, tally] of organization.mutations) {
    const count = rows.filter((row) => row.action === action).length
    if (!fits(count, tally))
      world.violate(
        `${organization.name} has ${count} events ${action}; ${tally.acknowledged} were acknowledged and ${tally.unknown} perhaps`,
      )
  }
  for (const { action, target } of organization.audited) {
    const count = rows.filter((row) => row.action === action && row.target_id === target).length
    if (count !== 1) world.violate(`${action} of ${target} has ${count} events`)
  }
}

/** A source contains what its provider shows. */
async function checkSources(world: World, organization: SimulatedOrganization): Promise<void> {
  for (const [provider, sourceId] of Object.entries(organization.connected)) {
    const rows = await world.database.db
      .selectFrom('source_items')
      .select('body')
      .where('organization_id', '=', organization.id)
      .where('source_id', '=', sourceId)
      .execute()
    const stored = rows.flatMap(({ body }) => body.match(/\btok\d+\b/g) ?? []).toSorted()
    const there = textsAt(world, provider)
      .flatMap((text) => text.match(/\btok\d+\b/g) ?? [])
      .toSorted()
    if (stored.join(' ') !== there.join(' '))
      world.violate(`${provider} has ${there.join(' ')}; its source brought ${stored.join(' ')}`)
  }
}

function textsAt({ slack, notion }: World, provider: string): string[] {
  if (provider === 'notion') return notion.state.listed(false).map((page) => notion.state.contentOf(page))
  return slack.state
    .channels()
    .filter(({ isMember }) => isMember)
    .flatMap(({ id }) => slack.state.allMessages(id).map(({ text }) => text))
}

/** Every item has chunks, and every chunk has an item and a vector. */
async function checkOrphans(world: World, { id, name }: SimulatedOrganization): Promise<void> {
  const { rows } = await sql<{ fault: string; count: string }>`
    select 'an item without chunks' as fault, count(*) from source_items i where organization_id = ${id}
      and not exists (select from chunks c where c.organization_id = ${id} and c.source_item_id = i.id)
    union all
    select 'a chunk without an item', count(*) from chunks c where organization_id = ${id}
      and not exists (select from source_items i where i.organization_id = ${id} and i.id = c.source_item_id)
    union all
    select 'a chunk without a vector', count(*) from chunks c where organization_id = ${id}
      and not exists (select from chunk_embeddings e where e.organization_id = ${id}
        and e.source_item_id = c.source_item_id and e.position = c.position)
    union all
    select 'a vector without a chunk', count(*) from chunk_embeddings e where organization_id = ${id}
      and not exists (select from chunks c where c.organization_id = ${id}
        and e.source_item_id = c.source_item_id and e.position = c.position)
    union all
    select 'an unfinished ingest', count(*) from ingest_parts where organization_id = ${id}`.execute(
    world.database.db,
  )
  for (const { fault, count } of rows) if (Number(count) > 0) world.violate(`${name} has ${fault} (${count})`)
}

/** Each charge reached the processor's meter once. */
async function checkCharges(world: World): Promise<void> {
  const { stripe, customerId, organizations } = world
  const metered = organizations.find(({ plan }) => plan === 'metered')
  if (!metered) return
  const { overage_answers: charged } = await subscriptionOf(world, metered)
  const uses = stripe.account.meterUses.filter(({ customer }) => customer === customerId)
  const reported = uses.reduce((sum, { value }) => sum + value, 0)
  if (reported !== charged)
    world.violate(`${charged} answers are charged; the processor was told of ${reported}`)
}
