import type { EmulatorReply, EmulatorRequest } from '../kit/server.ts'
import { blocksOf, type EmulatedBlock } from './notion-blocks.ts'
import { databaseJson, markdownOf, objectJson } from './notion-json.ts'
import { databaseIdOf, type EmulatedObject, type NotionEmulatorState } from './notion-state.ts'

/** An error in Notion's format (developers.notion.com/reference/status-codes). */
export function notionError(
  status: number,
  code: string,
  message: string,
  additionalData?: Record<string, string>,
): EmulatorReply {
  const requestId = '00000000-0000-4000-8000-000000000000'
  const more = additionalData === undefined ? {} : { additional_data: additionalData }
  return {
    status,
    headers: { 'x-notion-request-id': requestId },
    json: { object: 'error', status, code, message, ...more, request_id: requestId },
  }
}

const INTEGRATION_ID = '77777777-2222-4333-8444-555555555555'

const notFound = (id: string, kind = 'page') =>
  notionError(
    404,
    'object_not_found',
    `Could not find ${kind} with ID: ${id}. Make sure the relevant pages and databases are shared with your integration "Memory".`,
    { integration_id: INTEGRATION_ID },
  )

const invalidUrl = () => notionError(400, 'invalid_request_url', 'Invalid request URL.')

/** The reading routes. `markdownLimit`: characters of a part of a page; null: there is no Markdown route. */
export function notionRoutes(
  state: NotionEmulatorState,
  markdownLimit: number | null,
): (request: EmulatorRequest) => EmulatorReply {
  // Nested blocks, known once their parent was listed.
  const nested = new Map<string, EmulatedBlock[]>()
  return (request) => {
    const [, , kind = '', id = '', action = ''] = request.path.split('/')
    const route = `${request.method} ${kind}${id === '' ? '' : '/id'}${action === '' ? '' : `/${action}`}`
    switch (route) {
      case 'POST search':
        return withBody(request, (body) => search(state, body))
      case 'GET pages/id':
        return found(state, id, 'page', (page) => objectJson(state, page))
      case 'GET pages/id/markdown':
        return markdownLimit === null ? invalidUrl() : markdown(state, id, markdownLimit)
      case 'GET blocks/id/children':
        return blockChildren(state, nested, id, Object.fromEntries(request.query))
      case 'GET data_sources/id':
        return found(state, id, 'data_source', (source) => objectJson(state, source))
      case 'POST data_sources/id/query':
        return withBody(request, (body) => query(state, id, body))
      case 'GET databases/id': {
        const source = [...state.objects.values()].find((object) => databaseIdOf(object.id) === id)
        return source && source.isShared ? { json: databaseJson(source) } : notFound(id, 'database')
      }
      case 'GET users/id': {
        const user = state.users().find((candidate) => candidate.id === id)
        if (!user) return notFound(id, 'user')
        return {
          json: {
            object: 'user',
            id,
            type: 'person',
            name: user.name,
            avatar_url: null,
            person: { email: user.email },
          },
        }
      }
      default:
        return invalidUrl()
    }
  }
}

function withBody(
  request: EmulatorRequest,
  answer: (body: Record<string, unknown>) => EmulatorReply,
): EmulatorReply {
  const body = parseJson(request.body === '' ? '{}' : request.body)
  if (body === undefined) return notionError(400, 'invalid_json', 'Error parsing JSON body.')
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return failedValidation('body', `body should be an object, instead was \`${JSON.stringify(body)}\``)
  return answer({ ...body })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const failedValidation = (part: 'body' | 'query', what: string) =>
  notionError(400, 'validation_error', `${part} failed validation: ${what}.`)

/** The refusal of an invalid page size or cursor; null for valid ones. */
function refusePaging(ask: Record<string, unknown>, part: 'body' | 'query'): EmulatorReply | null {
  const { page_size: given, start_cursor: cursor } = ask
  const size = part === 'query' && typeof given === 'string' ? Number(given) : given
  if (size !== undefined) {
    if (typeof size !== 'number' || Number.isNaN(size))
      return failedValidation(
        part,
        `${part}.page_size should be a number or \`undefined\`, instead was \`${JSON.stringify(given)}\``,
      )
    if (size > PAGE_SIZE_MAX)
      return failedValidation(
        part,
        `${part}.page_size should be ≤ \`${PAGE_SIZE_MAX}\`, instead was \`${size}\``,
      )
    if (size < 1)
      return failedValidation(part, `${part}.page_size should be ≥ \`1\`, instead was \`${size}\``)
  }
  if (cursor !== undefined && (typeof cursor !== 'string' || !UUID.test(cursor)))
    return failedValidation(
      part,
      `${part}.start_cursor should be a valid uuid or \`undefined\`, instead was \`${JSON.stringify(cursor)}\``,
    )
  return null
}

const PAGE_SIZE_MAX = 100
const UUID = /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i

function found(
  state: NotionEmulatorState,
  id: string,
  kind: EmulatedObject['kind'],
  toJson: (object: EmulatedObject) => unknown,
): EmulatorReply {
  const object = state.objects.get(id)
  return object?.kind === kind && object.isShared ? { json: toJson(object) } : notFound(id, nameOf(kind))
}

/** Notion's refusals call a data source a database. */
const nameOf = (kind: EmulatedObject['kind']) => (kind === 'data_source' ? 'database' : kind)

function search(state: NotionEmulatorState, body: Record<string, unknown>): EmulatorReply {
  const inTrash = JSON.stringify(body['filter'] ?? {}).includes('"in_trash":true')
  return listOf(state, state.listed(inTrash), body, 'page_or_data_source')
}

function query(state: NotionEmulatorState, id: string, body: Record<string, unknown>): EmulatorReply {
  const source = state.objects.get(id)
  if (source?.kind !== 'data_source' || !source.isShared) return notFound(id, nameOf('data_source'))
  const rows = state
    .children(id)
    .toSorted((left, right) => left.createdAt - right.createdAt || (left.id < right.id ? -1 : 1))
  return listOf(state, rows, body, 'page_or_data_source')
}

function listOf(
  state: NotionEmulatorState,
  objects: readonly EmulatedObject[],
  body: Record<string, unknown>,
  type: string,
): EmulatorReply {
  return listJson(
    objects.map(({ id }) => id),
    body,
    type,
    'body',
    (index) => {
      const object = objects[index]
      return object && objectJson(state, object)
    },
  )
}

/** A page of a list. As at Notion, the cursor is the id of the next entry; an unknown one is refused. */
function listJson(
  ids: readonly string[],
  ask: Record<string, unknown>,
  type: string,
  part: 'body' | 'query',
  toJson: (index: number) => unknown,
): EmulatorReply {
  const refusal = refusePaging(ask, part)
  if (refusal) return refusal
  const cursor = ask['start_cursor']
  const size = Number(ask['page_size'] ?? PAGE_SIZE_MAX)
  const from = typeof cursor === 'string' ? ids.indexOf(cursor) : 0
  if (from === -1) return notionError(400, 'validation_error', 'The start_cursor provided is invalid.')
  const results = ids.slice(from, from + size).map((_id, index) => toJson(from + index))
  const next = ids[from + size] ?? null
  return { json: { object: 'list', type, [type]: {}, results, next_cursor: next, has_more: next !== null } }
}

/** The direct children of a page, or of a block listed before. */
function blockChildren(
  state: NotionEmulatorState,
  nested: Map<string, EmulatedBlock[]>,
  id: string,
  ask: Record<string, string>,
): EmulatorReply {
  const page = state.objects.get(id)
  const blocks = page?.kind === 'page' && page.isShared ? blocksOf(state, page) : nested.get(id)
  if (!blocks) return notFound(id, 'block')
  for (const { json, children } of blocks) if (children.length > 0) nested.set(json.id, children)
  return listJson(
    blocks.map(({ json }) => json.id),
    ask,
    'block',
    'query',
    (index) => blocks[index]?.json,
  )
}

/** A page's Markdown; for a long page its first part and the ids of the others. */
function markdown(state: NotionEmulatorState, id: string, limit: number): EmulatorReply {
  const [pageId = '', part = '0'] = id.split('~')
  const page = state.objects.get(pageId)
  if (page?.kind !== 'page' || !page.isShared) return notFound(id)
  const text = markdownOf(state, page)
  const count = Math.max(1, Math.ceil(text.length / limit))
  const index = Number(part)
  const others = index === 0 ? Array.from({ length: count - 1 }, (_unused, i) => `${pageId}~${i + 1}`) : []
  return {
    json: {
      object: 'page_markdown',
      id,
      markdown: text.slice(index * limit, (index + 1) * limit),
      truncated: others.length > 0,
      unknown_block_ids: others,
    },
  }
}
