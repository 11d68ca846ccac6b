import type { EmulatorReply } from '../kit/server.ts'
import { type Call, type Listing, pagedV2, refusalV2, type Route } from './reply.ts'
import type { ConfluenceAttachment, ConfluenceComment, ConfluenceContent, ConfluenceSpace } from './state.ts'

const LISTED = ['cursor', 'limit', 'sort']
const NOT_FOUND = refusalV2(404, 'Not Found')
const iso = (at: number): string => new Date(at).toISOString()

/** The routes of the REST API v2 that the connector uses. */
export const ROUTES_V2: readonly Route[] = [
  {
    pattern: /^\/spaces$/,
    parameters: [...LISTED, 'keys', 'ids', 'type', 'status'],
    answer: (call) => pagedV2(call, spacesOf(call), showSpace),
  },
  {
    pattern: /^\/spaces\/(\d+)\/(?:pages|blogposts)$/,
    // Only pages have `depth`, which the connector does not use.
    parameters: [...LISTED, 'status', 'title', 'body-format'],
    answer: (call) =>
      inSpace(call, ({ id }) =>
        pagedV2(
          call,
          pagesOf(call, ({ spaceId }) => spaceId === id),
          showListed(call),
        ),
      ),
  },
  {
    pattern: /^\/spaces\/(\d+)\/permissions$/,
    parameters: ['cursor', 'limit'],
    answer: (call) =>
      inSpace(call, ({ id, readers }) => pagedV2(call, { lists: [assignments(id, readers)] }, (one) => one)),
  },
  {
    pattern: /^\/(?:pages|blogposts)$/,
    parameters: [...LISTED, 'id', 'space-id', 'status', 'title', 'body-format'],
    answer(call) {
      const ids = call.query.get('id')?.split(',')
      return pagedV2(
        call,
        pagesOf(call, ({ id }) => ids?.includes(id) !== false),
        showListed(call),
      )
    },
  },
  {
    pattern: /^\/(?:pages|blogposts)\/(\d+)$/,
    parameters: ['body-format', 'include-labels', 'status', 'version'],
    answer: (call) => withContent(call, typeOf(call), (page) => ({ json: showPage(call, page) })),
  },
  {
    pattern: /^\/folders\/(\d+)$/,
    parameters: [],
    answer: (call) => withContent(call, 'folder', (folder) => ({ json: showListed(call)(folder) })),
  },
  {
    pattern: /^\/(?:pages|blogposts)\/(\d+)\/(footer|inline)-comments$/,
    parameters: [...LISTED, 'body-format', 'status'],
    answer: (call) =>
      withContent(call, typeOf(call), ({ id }) =>
        pagedV2(
          call,
          commentsOf(call, ({ pageId, parentId }) => pageId === id && parentId === null),
          (comment) => showComment(call, comment),
        ),
      ),
  },
  {
    pattern: /^\/(footer|inline)-comments\/(\d+)\/children$/,
    parameters: [...LISTED, 'body-format'],
    answer(call) {
      const [, id = ''] = call.matched
      const comment = call.state.comments.get(id)
      if (comment === undefined || !isReadComment(call, comment)) return NOT_FOUND
      const replies = commentsOf(call, ({ parentId }) => parentId === id)
      return pagedV2(call, replies, (reply) => showComment(call, reply))
    },
  },
  {
    pattern: /^\/(?:pages|blogposts)\/(\d+)\/attachments$/,
    parameters: [...LISTED, 'status', 'mediaType', 'filename'],
    answer: (call) =>
      withContent(call, typeOf(call), ({ id }) =>
        pagedV2(
          call,
          { lists: [call.state.attachments.values()], isListed: ({ pageId }) => pageId === id },
          (attachment) => showAttachment(call, attachment),
        ),
      ),
  },
  { method: 'POST', pattern: /^\/users-bulk$/, parameters: [], answer: usersOf },
]

function spacesOf({ state, accountId, query }: Call): Listing<ConfluenceSpace> {
  const keys = query.get('keys')?.split(',')
  const status = query.get('status')
  return {
    lists: [state.spaces.values()],
    isListed: (space) =>
      accountId !== null &&
      state.readsSpace(accountId, space) &&
      keys?.includes(space.key) !== false &&
      (status === null || space.status === status),
  }
}

/** The object in the path. */
const typeOf = ({ path }: Call): 'page' | 'blogpost' => (path.includes('/blogposts') ? 'blogpost' : 'page')

function pagesOf(call: Call, isWanted: (content: ConfluenceContent) => boolean): Listing<ConfluenceContent> {
  const { state, accountId, query } = call
  const type = typeOf(call)
  const statuses = (query.get('status') ?? (type === 'page' ? 'current,archived' : 'current')).split(',')
  return {
    lists: [state.contents.values()],
    isListed: (content) =>
      content.type === type &&
      isWanted(content) &&
      accountId !== null &&
      statuses.includes(content.status) &&
      state.reads(accountId, content),
  }
}

const commentsOf = (
  call: Call,
  isWanted: (comment: ConfluenceComment) => boolean,
): Listing<ConfluenceComment> => ({
  lists: [call.state.comments.values()],
  isListed: (comment) => isWanted(comment) && isReadComment(call, comment),
})

function isReadComment({ state, accountId, path }: Call, { kind, pageId }: ConfluenceComment): boolean {
  const page = state.contents.get(pageId)
  return (
    path.includes(`/${kind}-comments`) &&
    page !== undefined &&
    accountId !== null &&
    state.reads(accountId, page)
  )
}

function inSpace(call: Call, answer: (space: ConfluenceSpace) => EmulatorReply): EmulatorReply {
  const { state, accountId, matched } = call
  const space = state.spaces.get(matched[0] ?? '')
  const isSeen = space !== undefined && accountId !== null && state.readsSpace(accountId, space)
  return isSeen ? answer(space) : NOT_FOUND
}

function withContent(
  { state, accountId, matched }: Call,
  type: ConfluenceContent['type'],
  answer: (content: ConfluenceContent) => EmulatorReply,
): EmulatorReply {
  const content = state.contents.get(matched[0] ?? '')
  if (content?.type !== type || accountId === null || !state.reads(accountId, content)) return NOT_FOUND
  return answer(content)
}

const assignments = (spaceId: string, readers: ConfluenceSpace['readers']) =>
  readers.flatMap((principal, index) =>
    ['read', 'delete'].map((key, offset) => ({
      id: `${spaceId}${index * 2 + offset}`,
      principal,
      operation: { key, targetType: key === 'read' ? 'space' : 'page' },
    })),
  )

const showSpace = ({ readers: _readers, ...space }: ConfluenceSpace) => ({
  ...space,
  homepageId: null,
  _links: { webui: `/spaces/${space.key}` },
})

const versionOf = ({
  version,
  changedAt,
  authorId,
}: ConfluenceContent | ConfluenceComment | ConfluenceAttachment) => ({
  number: version,
  createdAt: iso(changedAt),
  message: '',
  minorEdit: false,
  authorId,
})

const showListed =
  ({ state }: Call) =>
  (content: ConfluenceContent) => {
    const { id, type, status, title, spaceId, parentId, authorId, createdAt } = content
    return {
      id,
      status,
      title,
      spaceId,
      ...(type !== 'blogpost' && {
        parentId,
        parentType: state.contents.get(parentId ?? '')?.type ?? null,
        ownerId: authorId,
      }),
      authorId,
      createdAt: iso(createdAt),
      version: versionOf(content),
      ...(type === 'folder' && { type }),
      _links: { webui: `/spaces/x/pages/${id}/${encodeURIComponent(title)}` },
    }
  }

function showPage(call: Call, page: ConfluenceContent) {
  const { state, query } = call
  const format = query.get('body-format')
  const space = state.spaces.get(page.spaceId)
  const value = format === 'view' ? page.body : `<ac:layout>${page.body}</ac:layout>`
  const labels = page.labels.map((name, index) => ({ id: String(index), name, prefix: 'global' }))
  return {
    ...showListed(call)(page),
    body: format === null ? {} : { [format]: { representation: format, value } },
    ...(query.get('include-labels') === 'true' && { labels: { results: labels, meta: { hasMore: false } } }),
    _links: {
      webui: `/spaces/${space?.key}/pages/${page.id}/${encodeURIComponent(page.title)}`,
      base: 'https://acme.example/wiki',
    },
  }
}

function showAttachment({ state }: Call, attachment: ConfluenceAttachment) {
  const { id, name, mediaType, content, pageId, changedAt } = attachment
  return {
    id,
    status: 'current',
    title: name,
    createdAt: iso(changedAt),
    ...containerOf(state, pageId),
    mediaType,
    fileSize: content.length,
    webuiLink: `/pages/viewpageattachments.action?pageId=${pageId}&preview=${id}`,
    downloadLink: `/download/attachments/${pageId}/${encodeURIComponent(name)}`,
    version: versionOf(attachment),
  }
}

const containerOf = (state: Call['state'], id: string) =>
  state.contents.get(id)?.type === 'blogpost' ? { blogPostId: id } : { pageId: id }

function showComment({ query, state }: Call, comment: ConfluenceComment) {
  const { id, kind, pageId, parentId, body, selection } = comment
  const format = query.get('body-format')
  return {
    id,
    status: 'current',
    title: 'Re: page',
    // A reply names only its parent comment.
    ...(parentId === null ? containerOf(state, pageId) : { parentCommentId: parentId }),
    version: versionOf(comment),
    body: format === 'storage' ? { storage: { representation: 'storage', value: body } } : {},
    ...(kind === 'inline' && {
      resolutionStatus: 'open',
      properties: { inlineOriginalSelection: selection },
    }),
    _links: { webui: `/x?focusedCommentId=${id}` },
  }
}

function usersOf({ state, body, headers }: Call): EmulatorReply {
  if (!headers['content-type']?.startsWith('application/json'))
    return refusalV2(415, 'Unsupported Media Type')
  const parsed: unknown = JSON.parse(body)
  const ids: unknown = Object(parsed).accountIds
  if (!Array.isArray(ids) || ids.length === 0 || ids.length > 250)
    return refusalV2(400, "Provided value for 'accountIds' is not the correct type")
  const found = ids.flatMap((id) => state.people.get(String(id)) ?? [])
  return {
    json: {
      results: found.map(({ accountId, name, email, hidesEmail, isActive }) => ({
        accountId,
        displayName: name,
        publicName: name,
        accountType: 'atlassian',
        accountStatus: isActive ? 'active' : 'inactive',
        email: hidesEmail ? '' : email,
      })),
      _links: {},
    },
  }
}
