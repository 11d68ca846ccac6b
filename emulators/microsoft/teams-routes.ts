import type { EmulatorReply } from '../kit/server.ts'
import { type MicrosoftPerson, TENANT } from './people.ts'
import { type GraphCall, graphError, type GraphRoute, inToken, paged, tokenOf } from './reply.ts'
import { showMessage, type ShownTeams, showThread } from './teams-messages.ts'
import type { EmulatedChannel, EmulatedMessage, EmulatedTeam, TeamsState } from './teams-state.ts'

const PAGE = 20
const TOP_MAX = 50
const MONTHS_MS = 8 * 30 * 86_400_000
const AFTER = /^lastModifiedDateTime gt (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,7})?[zZ])$/

const MISSING = graphError(404, 'NotFound', 'NotFound')
const CLOSED = graphError(403, 'Forbidden', 'Forbidden')

interface TeamsRoutesOptions extends ShownTeams {
  account: string
  now: () => number
}

const CHANNEL = new Set(['id', 'displayName', 'description', 'membershipType', 'webUrl', 'tenantId'])
const MEMBER = new Set(['id', 'roles', 'displayName', 'userId', 'email', 'tenantId'])
const ofMessage = {
  scopes: ['ChannelMessage.Read.All'],
  type: 'microsoft.graph.chatMessage',
  // Message requests do not support `$select`.
  properties: new Set<string>(),
}

/** The routes of teams, channels and messages. */
export function teamsRoutes(options: TeamsRoutesOptions): GraphRoute[] {
  const { state, account } = options
  const withTeam = (call: GraphCall, answer: (team: EmulatedTeam) => EmulatorReply): EmulatorReply => {
    const team = state.teams.get(call.matched[0] ?? '')
    if (team === undefined) return MISSING
    return isAssociated(state, team, account) ? answer(team) : CLOSED
  }
  const withChannel = (
    call: GraphCall,
    answer: (channel: EmulatedChannel) => EmulatorReply,
  ): EmulatorReply => {
    const channel = state.channels.get(call.matched[1] ?? '')
    if (channel === undefined || channel.teamId !== call.matched[0]) return MISSING
    return state.isOpen(channel, account) ? answer(channel) : CLOSED
  }
  const withRoot = (call: GraphCall, answer: (root: EmulatedMessage) => EmulatorReply): EmulatorReply =>
    withChannel(call, (channel) => {
      const root = state.messages.get(call.matched[2] ?? '')
      return root?.channelId === channel.id && root.rootId === null ? answer(root) : MISSING
    })
  return [
    ...memberRoutes(options, withTeam, withChannel),
    {
      ...ofMessage,
      pattern: /^\/teams\/([^/]+)\/channels\/([^/]+)\/messages$/,
      parameters: ['$top', '$expand', '$skiptoken'],
      answer: (call) => messageFault(call) ?? withChannel(call, (channel) => list(options, call, channel)),
    },
    {
      ...ofMessage,
      pattern: /^\/teams\/([^/]+)\/channels\/([^/]+)\/messages\/delta$/,
      parameters: ['$top', '$skip', '$expand', '$filter', '$deltatoken', '$skiptoken'],
      answer: (call) => messageFault(call) ?? withChannel(call, (channel) => delta(options, call, channel)),
    },
    {
      ...ofMessage,
      pattern: /^\/teams\/([^/]+)\/channels\/([^/]+)\/messages\/([^/]+)$/,
      parameters: [],
      answer: (call) => withRoot(call, (root) => ({ json: showMessage(options, root) })),
    },
    {
      ...ofMessage,
      pattern: /^\/teams\/([^/]+)\/channels\/([^/]+)\/messages\/([^/]+)\/replies$/,
      parameters: ['$top', '$skiptoken'],
      answer: (call) =>
        messageFault(call) ??
        withRoot(call, (root) => {
          const replies = state.repliesTo(root).map((reply) => showMessage(options, reply))
          return paged(call, replies, PAGE)
        }),
    },
  ]
}

function memberRoutes(
  { state, people, account }: TeamsRoutesOptions,
  withTeam: (call: GraphCall, answer: (team: EmulatedTeam) => EmulatorReply) => EmulatorReply,
  withChannel: (call: GraphCall, answer: (channel: EmulatedChannel) => EmulatorReply) => EmulatorReply,
): GraphRoute[] {
  const members = (call: GraphCall, names: Iterable<string>): EmulatorReply =>
    paged(
      call,
      [...names].map((name) => showMember(people.get(name))),
      2,
    )
  const ofMember = { type: 'microsoft.graph.conversationMember', properties: MEMBER }
  return [
    {
      scopes: ['Team.ReadBasic.All'],
      type: 'microsoft.graph.associatedTeamInfo',
      properties: new Set(),
      pattern: /^\/me\/teamwork\/associatedTeams$/,
      parameters: ['$skiptoken'],
      answer: (call) =>
        paged(
          call,
          [...state.teams.values()]
            .filter((team) => isAssociated(state, team, account))
            .map(({ id, displayName }) => ({ id, displayName, tenantId: TENANT })),
          2,
        ),
    },
    {
      scopes: ['Channel.ReadBasic.All'],
      type: 'microsoft.graph.channel',
      properties: CHANNEL,
      pattern: /^\/teams\/([^/]+)\/channels$/,
      parameters: ['$select', '$filter', '$skiptoken'],
      answer: (call) =>
        withTeam(call, (team) =>
          paged(
            call,
            [...state.channels.values()]
              .filter((channel) => channel.teamId === team.id)
              .filter((channel) => channel.isListed || state.isOpen(channel, account))
              .map(({ id, displayName, membershipType }) => ({ id, displayName, membershipType })),
            PAGE,
          ),
        ),
    },
    {
      ...ofMember,
      scopes: ['TeamMember.Read.All'],
      pattern: /^\/teams\/([^/]+)\/members$/,
      parameters: ['$select', '$filter', '$skiptoken'],
      answer: (call) =>
        withTeam(call, (team) => (team.members.has(account) ? members(call, team.members) : CLOSED)),
    },
    {
      ...ofMember,
      scopes: ['ChannelMember.Read.All'],
      pattern: /^\/teams\/([^/]+)\/channels\/([^/]+)\/allMembers$/,
      parameters: ['$select', '$filter', '$skiptoken'],
      answer: (call) => withChannel(call, (channel) => members(call, membersOf(state, channel))),
    },
  ]
}

const showMember = ({ id, displayName, mail }: MicrosoftPerson) => ({
  '@odata.type': '#microsoft.graph.aadUserConversationMember',
  id: tokenOf({ member: id }),
  roles: [],
  displayName,
  userId: id,
  email: mail,
  tenantId: TENANT,
})

const membersOf = ({ teams }: TeamsState, { membershipType, teamId, members }: EmulatedChannel) =>
  membershipType === 'standard' ? (teams.get(teamId)?.members ?? []) : members

/** Whether a person is a member of the team, or of a channel that it shares. */
const isAssociated = ({ channels }: TeamsState, team: EmulatedTeam, person: string): boolean =>
  team.members.has(person) ||
  [...channels.values()].some(
    ({ teamId, membershipType, members }) =>
      teamId === team.id && membershipType === 'shared' && members.has(person),
  )

/** The part of a message request that Graph refuses. */
function messageFault({ query }: GraphCall): EmulatorReply | null {
  if (Number(query.get('$top') ?? 1) > TOP_MAX)
    return graphError(400, 'BadRequest', `The limit of '${TOP_MAX}' for Top query has been exceeded.`)
  const expand = query.get('$expand')
  if (expand !== null && expand !== 'replies')
    return graphError(400, 'BadRequest', `Could not find a property named '${expand}'.`)
  const filter = query.get('$filter')
  return filter === null || AFTER.test(filter)
    ? null
    : graphError(400, 'BadRequest', 'Only filters of the form lastModifiedDateTime gt time are supported.')
}

/** https://learn.microsoft.com/graph/api/channel-list-messages */
function list(options: TeamsRoutesOptions, call: GraphCall, channel: EmulatedChannel): EmulatorReply {
  const token = call.query.get('$skiptoken')
  const { before, top, expand }: Record<string, unknown> =
    token === null
      ? { top: Number(call.query.get('$top') ?? PAGE), expand: call.query.get('$expand') }
      : (inToken(token) ?? {})
  if (typeof top !== 'number') return graphError(400, 'BadRequest', 'Invalid skip token')
  const below = Number(before ?? Number.POSITIVE_INFINITY)
  const roots = options.state.rootsIn(channel).filter(({ id }) => Number(id) < below)
  const page = roots.slice(0, top)
  const value = page.map((root) => showThread(options, call, root, expand === 'replies'))
  const last = page.at(-1)
  if (last === undefined || roots.length <= top) return { json: { value } }
  const following = tokenOf({ before: Number(last.id), top, expand })
  return { json: { value, '@odata.nextLink': `${call.url}${call.path}?$skiptoken=${following}` } }
}

/** https://learn.microsoft.com/graph/api/chatmessage-delta */
function delta(options: TeamsRoutesOptions, call: GraphCall, channel: EmulatedChannel): EmulatorReply {
  const { state, now } = options
  const { query } = call
  const given = query.get('$deltatoken') ?? query.get('$skiptoken')
  const filter = AFTER.exec(query.get('$filter') ?? '')?.[1]
  const token =
    given === null
      ? {
          since: 0,
          top: Number(query.get('$top') ?? PAGE),
          expand: query.get('$expand'),
          ...(filter !== undefined && { changedAfter: Date.parse(filter) }),
        }
      : inToken(given)
  if (typeof token?.['since'] !== 'number')
    return graphError(400, 'BadRequest', "Parameter 'DeltaToken' not supported for this request.")
  if (given !== null && !(Number(token['issued']) >= channel.oldest))
    return graphError(410, 'syncStateNotFound', 'The sync state generation is not found.')
  const numberOf = (name: string, otherwise: number): number => {
    const value = Object.entries(token).find(([key]) => key === name)?.[1]
    return typeof value === 'number' ? value : otherwise
  }
  const until = numberOf('until', state.sequence)
  const after = numberOf('after', token['since'])
  const changedAfter = numberOf('changedAfter', 0)
  const changed = state
    .rootsIn(channel)
    .map((root) => ({ root, change: state.changeOf(root) }))
    .filter(({ change: { sequence, at } }) => sequence > after && sequence <= until && at > changedAfter)
    // "Delta will only return messages within the last eight months."
    .filter(({ root }) => root.createdAt > now() - MONTHS_MS)
    .toSorted((one, other) => one.change.sequence - other.change.sequence)
  const page = changed.slice(0, numberOf('top', PAGE))
  const value = page.map(({ root }) => showThread(options, call, root, token['expand'] === 'replies'))
  const link = (name: string, more: object): string =>
    `${call.url}${call.path}?${name}=${tokenOf({ ...token, ...more, issued: state.sequence })}`
  const next =
    changed.length > page.length
      ? { '@odata.nextLink': link('$skiptoken', { until, after: page.at(-1)?.change.sequence ?? after }) }
      : { '@odata.deltaLink': link('$deltatoken', { since: until, until: undefined, after: undefined }) }
  return { json: { value, ...next } }
}
