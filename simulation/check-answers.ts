import type { Reply } from './fleet.ts'
import { type Moment, type PushedDocument, readable } from './oracle.ts'
import type { SimulatedKey, SimulatedOrganization } from './organizations.ts'

/** Receives violations. */
type Reporter = { violate(what: string): void }

export interface Asked {
  action: string
  reply: Reply
  key: SimulatedKey
  email: string | null
  /** The state when the question was sent. */
  moments: ReadonlyMap<string, Moment>
  group: Moment
}

interface Hit {
  title: string
  content: string
  provider: string
}

const LIMIT = 25

/** Checks that an answer shows exactly the items that are stored, in scope and readable. */
export function checkAnswer(world: Reporter, organization: SimulatedOrganization, asked: Asked): void {
  const { reply, key, email, action } = asked
  const hits: Hit[] = action === 'ask' ? reply.body.context : reply.body.hits
  const who = `${action} of ${organization.name}${email ? ` for ${email}` : ''}`
  for (const hit of hits) {
    if (key.providers && !key.providers.some((provider) => provider === hit.provider))
      world.violate(`${who} returned an item of ${hit.provider}, which is out of scope`)
    const fault = faultOf(organization, hit, asked)
    if (fault) world.violate(`${who} returned ${hit.title}, ${fault}`)
  }
  if (hits.length < LIMIT && action === 'search') checkComplete(world, organization, hits, { ...asked, who })
}

/** Why an answer must not contain a hit; null: it may. */
function faultOf(organization: SimulatedOrganization, hit: Hit, asked: Asked): string | null {
  const synced = /\btok\d+\b/.test(`${hit.title} ${hit.content}`)
  if (synced) {
    const isConnected = hit.provider in organization.connected
    return isConnected ? null : 'which belongs to another organization'
  }
  const name = /^(\w+)-(\w+)-(doc\d+)-v(\d+)$/.exec(hit.title)
  if (!name) return 'which nobody stored'
  const [, owner, provider, externalId, number] = name
  if (owner !== organization.name) return 'which belongs to another organization'
  const document = organization.documents.get(`${provider} ${externalId}`)
  const moment = asked.moments.get(`${provider} ${externalId}`) ?? { possible: new Set<number>(), next: 1 }
  const version = document?.since(moment).find((one) => one.number === Number(number))
  if (!version?.value) return 'which was deleted or replaced'
  return mayShow(organization, version.value, asked) ? null : 'which the person may not read'
}

function mayShow(
  organization: SimulatedOrganization,
  { policy }: PushedDocument,
  { email, group }: Asked,
): boolean {
  if (email === null) return true
  return organization.group.since(group).some(({ value }) => readable(policy, email, value ?? []))
}

function checkComplete(
  world: Reporter,
  organization: SimulatedOrganization,
  hits: readonly Hit[],
  { moments, email, group, key, who }: Asked & { who: string },
): void {
  const titles = new Set(hits.map(({ title }) => title))
  for (const [name, register] of organization.documents) {
    const moment = moments.get(name)
    if (!moment || register.versions.length > moment.next) continue
    const possible = register.since(moment)
    const document = possible.length === 1 ? possible[0]?.value : null
    if (!document || (key.providers && !key.providers.some((provider) => provider === document.provider)))
      continue
    const groups = organization.group.since(group)
    const isReadable =
      email === null || groups.every(({ value }) => readable(document.policy, email, value ?? []))
    if (isReadable && !titles.has(document.title))
      world.violate(`${who} missed ${document.title}, which was acknowledged`)
  }
}
