import type { EmulatorReply } from '../kit/server.ts'
import { type Call, type Listing, pagedV1, refusalV1, type Route } from './reply.ts'
import type { ConfluenceAttachment, ConfluenceComment, ConfluenceContent } from './state.ts'

const CQL = /^space in \(("[^"]+"(?:, "[^"]+")*)\) and type in \(page, blogpost(, comment, attachment)?\)$/
const EXPANDED = new Set([
  'version',
  'container',
  'metadata.labels',
  'restrictions.read.restrictions.user',
  'restrictions.read.restrictions.group',
])

/** The routes of the REST API v1 that v2 does not replace. */
export const ROUTES_V1: readonly Route[] = [
  { pattern: /^\/user\/current$/, parameters: ['expand'], answer: currentUser },
  { pattern: /^\/content\/search$/, parameters: ['cql', 'limit', 'cursor', 'expand'], answer: search },
  {
    pattern: /^\/content\/(\d+)\/restriction\/byOperation\/read$/,
    parameters: ['start', 'limit', 'expand'],
    answer(call) {
      const content = call.state.contents.get(call.matched[0] ?? '')
      if (content === undefined || call.accountId === null || !call.state.reads(call.accountId, content))
        return refusalV1(404, `No content found with id: ${call.matched[0]}`)
      const start = Number(call.query.get('start') ?? 0)
      return { json: showRestriction(call, content, start) }
    },
  },
  {
    pattern: /^\/content\/(\d+)\/child\/attachment\/(att\d+)\/download$/,
    parameters: ['version', 'status'],
    answer(call) {
      const [pageId = '', id = ''] = call.matched
      const content = call.state.contents.get(pageId)
      const attachment = call.state.attachments.get(id)
      const isSeen =
        content !== undefined && call.accountId !== null && call.state.reads(call.accountId, content)
      if (!isSeen || attachment?.pageId !== pageId) return refusalV1(404, 'No attachment found')
      // Anyone with the address can read it.
      return { status: 302, headers: { location: `/media/${id}/${attachment.version}` } }
    },
  },
  { pattern: /^\/group\/([^/]+)\/membersByGroupId$/, parameters: ['start', 'limit'], answer: members },
]

function currentUser({ state, accountId }: Call): EmulatorReply {
  const person = state.people.get(accountId ?? '')
  if (person === undefined) return { json: { type: 'anonymous', displayName: 'Anonymous' } }
  return { json: { type: 'known', accountId: person.accountId, displayName: person.name } }
}

function search(call: Call): EmulatorReply {
  const { state, accountId, query, unindexed } = call
  const expand = (query.get('expand') ?? '').split(',').filter((one) => one !== '')
  const [, keys = '', both] = CQL.exec(query.get('cql') ?? '') ?? []
  if (keys === '') return refusalV1(400, `Could not parse cql : ${query.get('cql')}`)
  const unknown = expand.find((one) => !EXPANDED.has(one))
  if (unknown !== undefined) return refusalV1(400, `Cannot expand ${unknown}`)
  const wanted = new Set(keys.split(', ').map((key) => key.slice(1, -1)))
  const isFound = (content: ConfluenceContent | undefined): boolean =>
    content !== undefined &&
    content.type !== 'folder' &&
    content.status === 'current' &&
    accountId !== null &&
    wanted.has(state.spaces.get(content.spaceId)?.key ?? '') &&
    state.reads(accountId, content)
  const listing: Listing<ConfluenceContent | ConfluenceComment | ConfluenceAttachment> = {
    lists: [
      state.contents.values(),
      ...(both === undefined ? [] : [state.comments.values(), state.attachments.values()]),
    ],
    isListed: (one) =>
      !unindexed.has(one.id) && isFound('pageId' in one ? state.contents.get(one.pageId) : one),
  }
  return pagedV1(call, listing, (one) => ({
    id: one.id,
    type: typeOf(one),
    status: 'current',
    title: 'pageId' in one ? 'Re: page' : one.title,
    ...(expand.includes('version') && { version: { number: one.version } }),
    ...(expand.includes('container') && {
      container:
        'pageId' in one ? { id: one.pageId, type: 'page' } : { id: Number(one.spaceId), type: 'global' },
    }),
    ...(expand.includes('metadata.labels') && {
      metadata: { labels: { results: 'pageId' in one ? [] : showLabels(one.labels), start: 0, limit: 200 } },
    }),
    ...(expand.includes('restrictions.read.restrictions.user') && {
      restrictions: { read: showRestriction(call, 'pageId' in one ? null : one, 0) },
    }),
  }))
}

const showLabels = (labels: readonly string[]) =>
  labels.map((name, index) => ({ prefix: 'global', name, id: String(index), label: name }))

const typeOf = (one: ConfluenceContent | ConfluenceComment | ConfluenceAttachment): string => {
  if ('mediaType' in one) return 'attachment'
  return 'pageId' in one ? 'comment' : one.type
}

/** The restriction of the content itself. Inherited restrictions are not included. */
function showRestriction(
  { query, subjectsMax, path }: Call,
  content: ConfluenceContent | null,
  start: number,
) {
  const asked = path.endsWith('/search') ? subjectsMax : Number(query.get('limit') ?? 100)
  const limit = Math.min(asked, subjectsMax)
  const part = (results: readonly unknown[]) => {
    const some = results.slice(start, start + limit)
    return { results: some, start, limit, size: some.length }
  }
  const { users, groups } = content?.restriction ?? { users: [], groups: [] }
  return {
    operation: 'read',
    restrictions: {
      user: part(users.map((accountId) => ({ type: 'known', accountId, email: '' }))),
      group: part(groups.map((id) => ({ type: 'group', id, name: id }))),
    },
  }
}

function members(call: Call): EmulatorReply {
  const { state, query, matched, path, accountId } = call
  const ids = state.groups.get(decodeURIComponent(matched[0] ?? ''))
  if (ids === undefined || accountId === null) return refusalV1(404, 'The group does not exist')
  const start = Number(query.get('start') ?? 0)
  const limit = Math.min(Number(query.get('limit') ?? 200), 200)
  const results = ids.slice(start, start + limit).map((id) => ({
    type: 'known',
    accountId: id,
    accountType: 'atlassian',
    email: '',
    displayName: state.people.get(id)?.name ?? id,
  }))
  const next = `${path.replace('/wiki', '')}?start=${start + limit}&limit=${limit}`
  return {
    json: {
      results,
      start,
      limit,
      size: results.length,
      _links: {
        ...(start + limit < ids.length && { next }),
        base: 'https://acme.example/wiki',
        context: '/wiki',
      },
    },
  }
}
