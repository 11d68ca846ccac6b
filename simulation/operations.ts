import { type PushedDocument, Register } from './oracle.ts'
import { PEOPLE, RETRIEVALS, type SimulatedKey, type SimulatedOrganization } from './organizations.ts'
import { checkAnswer } from './check-answers.ts'
import { audit, outcomeOf, type Sent, send } from './send.ts'
import type { World } from './world.ts'

/** One client operation. */
type Operation = (world: World, organization: SimulatedOrganization) => Promise<void>

const ingest: Operation = async (world, organization) => {
  const { streams } = world
  const count = streams.between('documents', 1, 3)
  const changes = new Map<string, { register: Register<PushedDocument>; document: PushedDocument }>()
  for (let n = 0; n < count; n += 1) {
    const provider = streams.pick('provider of a document', ['slack', 'notion', 'google_drive'] as const)
    const externalId = `doc${streams.between('which document', 1, 7)}`
    const key = `${provider} ${externalId}`
    const register = organization.documents.get(key) ?? new Register<PushedDocument>(null)
    if (register.isBusy || changes.has(key)) continue
    organization.documents.set(key, register)
    const name = `${organization.name}-${provider}-${externalId}-v${register.versions.length}`
    const document = {
      provider,
      externalId,
      title: name,
      body: `pushed common text of ${name}`,
      policy: policyOf(world),
    }
    changes.set(key, { register, document })
  }
  if (changes.size === 0) return
  const begun = [...changes.values()].map(
    ({ register, document }) => [register, register.begin(document)] as const,
  )
  const { reply } = await send(world, {
    method: 'POST',
    path: '/v1/ingest',
    key: organization.admin.secret,
    body: {
      documents: [...changes.values()].map(({ document }) => entryOf(organization, document)),
    },
  })
  for (const [register, version] of begun) register.end(version, outcomeOf(reply))
  audit(organization, 'source_item.ingest', reply, reply?.headers['x-request-id'])
}

function entryOf(organization: SimulatedOrganization, { policy, ...document }: PushedDocument): object {
  return {
    ...document,
    connectorId: organization.pushOnly[document.provider],
    sourceKind: 'document',
    metadata: policy === undefined ? {} : { accessPolicy: policy },
  }
}

function policyOf({ streams }: World): unknown {
  const kind = streams.pick('policy', ['none', 'public', 'public', 'private', 'group', 'domain'] as const)
  if (kind === 'none') return undefined
  if (kind === 'public') return { visibility: 'public' }
  if (kind === 'private') return { visibility: 'private', users: [streams.pick('reader', PEOPLE)] }
  if (kind === 'group') return { visibility: 'restricted', groups: ['eng'] }
  return { visibility: 'restricted', domains: ['corp.com'], deny: [streams.pick('denied', PEOPLE)] }
}

const remove: Operation = async (world, organization) => {
  const known = [...organization.documents.entries()].filter(([, register]) => !register.isBusy)
  if (known.length === 0) return
  const [key, register] = world.streams.pick('which to delete', known)
  const [provider = '', externalId = ''] = key.split(' ')
  const version = register.begin(null)
  const before = register.versions.length
  const { reply } = await send(world, {
    method: 'DELETE',
    path: `/v1/source-items?provider=${provider}&externalId=${externalId}`,
    key: organization.admin.secret,
  })
  // A missing item counts as deleted.
  const isGone = reply?.status === 404
  register.end(version, isGone && before === register.versions.length ? 'done' : outcomeOf(reply))
  if (!isGone) audit(organization, 'source_item.delete', reply)
}

const retrieve: Operation = async (world, organization) => {
  const { streams } = world
  const live = organization.keys.filter(({ isLive }) => isLive !== false)
  if (live.length === 0) return
  const key = streams.pick('which key', live)
  const action = streams.pick('retrieval', RETRIEVALS)
  const email = streams.draw('on behalf') < 0.4 ? streams.pick('who asks', PEOPLE) : null
  const rank = action === 'search' && streams.draw('rank') < 0.3 ? 'hybrid' : undefined
  const moments = new Map([...organization.documents].map(([name, register]) => [name, register.now()]))
  const group = organization.group.now()
  const { reply, sentAt, answeredAt } = await send(world, {
    method: 'POST',
    path: `/v1/${action}`,
    key: key.secret,
    body: {
      query: 'pushed common text',
      limit: 25,
      ...(email ? { onBehalfOf: { email } } : {}),
      ...(rank ? { rank } : {}),
    },
  })
  noteRetrieval(world, organization, { key, action, reply, sentAt, answeredAt })
  if (reply?.status !== 200) return
  checkAnswer(world, organization, { action, reply, key, email, moments, group })
}

function noteRetrieval(
  world: World,
  organization: SimulatedOrganization,
  { key, action, reply, sentAt, answeredAt }: Sent & { key: SimulatedKey; action: string },
): void {
  const code = reply?.body?.code
  if (reply?.status === 200) organization.retrievals.acknowledged += 1
  else if (reply === null || reply.status >= 500) organization.retrievals.unknown += 1
  if (code === 'quota_exceeded') organization.quotaRefusals += 1
  const isRefused = code === 'rate_limited'
  noteAdmission(organization, {
    key: key.id,
    action,
    sentAt,
    answeredAt,
    isRefused,
    isKnown: reply !== null && reply.status < 500,
  })
  if (reply?.status === 401 && key.isLive)
    world.violate(`a live key of ${organization.name} was refused with 401`)
}

function noteAdmission(
  organization: SimulatedOrganization,
  one: {
    key: string
    action: string
    sentAt: number
    answeredAt: number
    isRefused: boolean
    isKnown: boolean
  },
): void {
  const { isRefused, isKnown, ...admission } = one
  if (isRefused) organization.refusals.push(admission)
  else if (isKnown) organization.admissions.push(admission)
  else organization.maybeAdmitted.push(admission)
}

const burst: Operation = async (world, organization) => {
  const count = world.streams.between('burst', 4, world.rateLimit + 4)
  await Promise.all(Array.from({ length: count }, () => retrieve(world, organization)))
}

const regroup: Operation = async (world, organization) => {
  const { group } = organization
  if (group.isBusy) return
  const members = PEOPLE.filter(() => world.streams.draw('member') < 0.5)
  const version = group.begin(members)
  const { reply } = await send(world, {
    method: 'PUT',
    path: '/v1/groups/eng',
    key: organization.admin.secret,
    body: { members },
  })
  group.end(version, outcomeOf(reply))
  audit(organization, 'group.update', reply)
}

const mint: Operation = async (world, organization) => {
  if (organization.keys.length > 6) return
  const allowedProviders = world.streams.pick('scope', [null, ['slack'], ['notion', 'google_drive']] as const)
  const { reply } = await send(world, {
    method: 'POST',
    path: '/v1/api-keys',
    key: organization.admin.secret,
    body: { name: 'minted', allowedActions: RETRIEVALS, allowedProviders },
  })
  audit(organization, 'api_key.create', reply, reply?.body?.apiKey?.id)
  if (reply?.status !== 201) return
  const { apiKey, secret } = reply.body
  organization.keys.push({ id: apiKey.id, secret, providers: allowedProviders, isLive: true })
}

const revoke: Operation = async (world, organization) => {
  const key = organization.keys.slice(2).find(({ isLive }) => isLive)
  if (!key) return
  key.isLive = null
  const { reply } = await send(world, {
    method: 'DELETE',
    path: `/v1/api-keys/${key.id}`,
    key: organization.admin.secret,
  })
  if (outcomeOf(reply) === 'done') key.isLive = false
  audit(organization, 'api_key.revoke', reply, key.id)
}

const useRevoked: Operation = async (world, organization) => {
  const key = organization.keys.find(({ isLive }) => isLive === false)
  if (!key) return
  const { reply } = await send(world, {
    method: 'POST',
    path: '/v1/search',
    key: key.secret,
    body: { query: 'common' },
  })
  if (reply && reply.status !== 401 && reply.status !== 503)
    world.violate(`a revoked key of ${organization.name} was answered ${reply.status}`)
}

const synchronize: Operation = async (world, organization) => {
  const connectorId = organization.connected.slack ?? organization.connected.notion
  if (connectorId === undefined) return
  const { reply } = await send(world, {
    method: 'POST',
    path: '/v1/sync-runs',
    key: organization.admin.secret,
    body: { connectorId, fullResync: world.streams.draw('full resync') < 0.3 },
  })
  if (reply?.status !== 202) audit(organization, 'sync_run.create', reply, reply?.body?.syncRun?.id)
}

const change: Operation = async (world) => {
  const provider = world.streams.pick('which provider changes', ['slack', 'notion'] as const)
  changeProvider(world, provider)
}

/** Writes, edits or deletes an item at a provider. */
function changeProvider(world: World, provider: 'slack' | 'notion'): void {
  const { streams, slack, notion } = world
  const act = streams.pick('change at a provider', ['write', 'write', 'edit', 'delete'] as const)
  const token = `tok${(world.written += 1)}`
  const text = `${token} common words of ${provider}`
  if (provider === 'slack') {
    const [channel] = slack.state.channels()
    if (!channel) return
    const messages = slack.state.allMessages(channel.id)
    if (act === 'write' || messages.length === 0) slack.state.post(channel.id, { text })
    else {
      const { ts } = streams.pick('which message', messages)
      if (act === 'edit') slack.state.edit(channel.id, ts, text)
      else slack.state.delete(channel.id, ts)
    }
    return
  }
  const pages = notion.state.listed(false)
  if (act === 'write' || pages.length === 0) notion.state.create({ title: `Page ${token}`, markdown: text })
  else {
    const { id } = streams.pick('which page', pages)
    if (act === 'edit') notion.state.edit(id, { markdown: text })
    else notion.state.trash(id)
  }
}

/** The operations of clients; repeated entries are more frequent. */
const OPERATIONS: readonly (readonly [string, Operation])[] = [
  ['ingest', ingest],
  ['ingest', ingest],
  ['ingest', ingest],
  ['delete', remove],
  ['delete', remove],
  ['retrieve', retrieve],
  ['retrieve', retrieve],
  ['retrieve', retrieve],
  ['retrieve', retrieve],
  ['burst', burst],
  ['regroup', regroup],
  ['mint', mint],
  ['revoke', revoke],
  ['use revoked key', useRevoked],
  ['synchronize', synchronize],
  ['change at provider', change],
  ['change at provider', change],
]

/** Picks an operation and its client. */
export function nextOperation(world: World): { name: string; run: () => Promise<void> } {
  const organization = world.streams.pick('organization', world.organizations)
  const [name, operation] = world.streams.pick('operation', OPERATIONS)
  return { name: `${name} of ${organization.name}`, run: () => operation(world, organization) }
}
