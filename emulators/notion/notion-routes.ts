import type { EmulatorReply, EmulatorRequest } from '../kit/server.ts'
import { blocksOf, type EmulatedBlock } from './notion-blocks.ts'
import { databaseJson, markdownOf, objectJson } from './notion-json.ts'
import { databaseIdOf, type EmulatedObject, type NotionEmulatorState } from './notion-state.ts'

/** An error as Notion words it (developers.notion.com/reference/status-codes). */
export function notionError(status: number, code: string, message: string): EmulatorReply {
  return {
    status,
    json: { object: 'error', status, code, message, request_id: '00000000-0000-4000-8000-000000000000' },
  }
}

const notFound = (id: string) =>
  notionError(
    404,
    'object_not_found',
    `Could not find object with ID: ${id}. Make sure it is shared with your integration.`,
  )

const invalidUrl = () => notionError(400, 'invalid_request_url', 'Invalid request URL.')

/**
 * The reading routes of the API. `markdownLimit`: characters after which a page comes in parts; null: the route that answers
 * with Markdown is not there.
 */
export function notionRoutes(
  state: NotionEmulatorState,
  markdownLimit: number | null,
): (request: EmulatorRequest) => EmulatorReply {
  // Blocks within blocks, known once what they lie in was listed.
  const nested = new Map<string, EmulatedBlock[]>()
  return (request) => {
    const [, , kind = '', id = '', action = ''] = request.path.split('/')
    const route = `${request.method} ${kind}${id === '' ? '' : '/id'}${action === '' ? '' : `/${action}`}`
    switch (route) {
      case 'POST search':
        return search(state, readBody(request))
      case 'GET pages/id':
        return found(state, id, 'page', (page) => objectJson(state, page))
      case 'GET pages/id/markdown':
        return markdownLimit === null ? invalidUrl() : markdown(state, id, markdownLimit)
      case 'GET blocks/id/children':
        return blockChildren(state, nested, id, Object.fromEntries(request.query))
      case 'GET data_sources/id':
        return found(state, id, 'data_source', (source) => objectJson(state, source))
      case 'POST data_sources/id/query':
        return query(state, id, readBody(request))
      case 'GET databases/id': {
        const source = [...state.objects.values()].find((object) => databaseIdOf(object.id) === id)
        return source && source.isShared ? { json: databaseJson(source) } : notFound(id)
      }
      case 'GET users/id': {
        const user = state.users().find((candidate) => candidate.id === id)
        if (!user) return notFound(id)
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

function readBody(request: EmulatorRequest): Record<string, unknown> {
  const body: unknown = request.body === '' ? {} : JSON.parse(request.body)
  return typeof body === 'object' && body !== null ? { ...body } : {}
}

function found(
  state: NotionEmulatorState,
  id: string,
  kind: EmulatedObject['kind'],
  toJson: (object: EmulatedObject) => unknown,
): EmulatorReply {
  const object = state.objects.get(id)
  return object?.kind === kind && object.isShared ? { json: toJson(object) } : notFound(id)
}

function search(state: NotionEmulatorState, body: Record<string, unknown>): EmulatorReply {
  const inTrash = JSON.stringify(body['filter'] ?? {}).includes('"in_trash":true')
  return listOf(state, state.listed(inTrash), body, 'page_or_data_source')
}

function query(state: NotionEmulatorState, id: string, body: Record<string, unknown>): EmulatorReply {
  const source = state.objects.get(id)
  if (source?.kind !== 'data_source' || !source.isShared) return notFound(id)
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
    (index) => {
      const object = objects[index]
      return object && objectJson(state, object)
    },
  )
}

/** A page of a list. The cursor is the id of the next entry, as Notion's are; one that is not there is refused. */
function listJson(
  ids: readonly string[],
  ask: Record<string, unknown>,
  type: string,
  toJson: (index: number) => unknown,
): EmulatorReply {
  const cursor = ask['start_cursor']
  const size = Math.min(Number(ask['page_size'] ?? 100), 100)
  const from = typeof cursor === 'string' ? ids.indexOf(cursor) : 0
  if (from === -1) return notionError(400, 'validation_error', 'The start_cursor provided is invalid.')
  const results = ids.slice(from, from + size).map((_id, index) => toJson(from + index))
  const next = ids[from + size] ?? null
  return { json: { object: 'list', type, [type]: {}, results, next_cursor: next, has_more: next !== null } }
}

/** What lies directly in a page, or in a block that was listed before. */
function blockChildren(
  state: NotionEmulatorState,
  nested: Map<string, EmulatedBlock[]>,
  id: string,
  ask: Record<string, string>,
): EmulatorReply {
  const page = state.objects.get(id)
  const blocks = page?.kind === 'page' && page.isShared ? blocksOf(state, page) : nested.get(id)
  if (!blocks) return notFound(id)
  for (const { json, children } of blocks) if (children.length > 0) nested.set(json.id, children)
  return listJson(
    blocks.map(({ json }) => json.id),
    ask,
    'block',
    (index) => blocks[index]?.json,
  )
}

/** A page's Markdown, or, for a long page, its first part and the ids of the others. */
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
