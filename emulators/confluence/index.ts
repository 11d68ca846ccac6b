import { textField } from '../kit/fields.ts'
import { type SiteEmulator, type SiteEmulatorOptions, startAtlassianSite } from '../kit/atlassian-site.ts'
import type { EmulatorReply, EmulatorRequest } from '../kit/server.ts'
import { parameterFault, refusalV1, refusalV2, type RouteContext } from './reply.ts'
import { ROUTES_V1 } from './routes-v1.ts'
import { ROUTES_V2 } from './routes-v2.ts'
import { type ConfluenceContent, ConfluenceState } from './state.ts'

const APIS = [
  { prefix: '/wiki/api/v2', routes: ROUTES_V2, refusal: refusalV2 },
  { prefix: '/wiki/rest/api', routes: ROUTES_V1, refusal: refusalV1 },
]

export interface ConfluenceEmulatorOptions extends SiteEmulatorOptions {
  searchedMax?: number
  subjectsMax?: number
}

export interface ConfluenceEmulator extends SiteEmulator {
  readonly state: ConfluenceState
  /** Ids that are not in the search index yet. */
  readonly unindexed: Set<string>
}

/**
 * The part of Confluence Cloud's REST APIs that the connector uses, for Ada's account. It refuses what Confluence
 * refuses.
 */
export async function startConfluenceEmulator(
  options: ConfluenceEmulatorOptions = {},
): Promise<ConfluenceEmulator> {
  const { now = Date.now, searchedMax = 50, subjectsMax = 100 } = options
  const state = new ConfluenceState(now)
  const unindexed = new Set<string>()
  const site = await startAtlassianSite(
    {
      refusal: refusalV1,
      answer: (request, accountId) =>
        route(request, { state, accountId, unindexed, searchedMax, subjectsMax }),
      control: controlsOf(state),
      file: ({ path }) => mediaOf(state, path),
    },
    options,
  )
  return { ...site, state, unindexed }
}

function route(request: EmulatorRequest, context: RouteContext): EmulatorReply {
  const api = APIS.find(({ prefix }) => request.path.startsWith(`${prefix}/`))
  if (api === undefined) return refusalV1(404, 'Not Found')
  for (const { pattern, parameters, answer, method = 'GET' } of api.routes) {
    const match = pattern.exec(request.path.slice(api.prefix.length))
    if (match === null || method !== request.method) continue
    const fault = parameterFault(request.query, parameters)
    if (fault !== null) return api.refusal(400, fault)
    return answer({ ...request, ...context, matched: match.slice(1) })
  }
  return api.refusal(404, 'Not Found')
}

/** The file store, which needs no token. */
function mediaOf(state: ConfluenceState, path: string): EmulatorReply | null {
  const [, id = '', version] = /^\/media\/(att\d+)\/(\d+)$/.exec(path) ?? []
  const attachment = state.attachments.get(id)
  if (version === undefined) return null
  if (attachment?.version !== Number(version)) return { status: 404, text: 'Not Found' }
  return { bytes: attachment.content }
}

/** The control routes. */
function controlsOf(state: ConfluenceState): Record<string, (body: Record<string, unknown>) => unknown> {
  const spaceOf = (body: Record<string, unknown>) => {
    const key = textField(body, 'space')
    return [...state.spaces.values()].find((space) => space.key === key) ?? state.createSpace(key)
  }
  const pageOf = (body: Record<string, unknown>): ConfluenceContent => {
    const page = state.contents.get(textField(body, 'page'))
    if (page === undefined) throw new Error('there is no such page')
    return page
  }
  return {
    page: (body) =>
      state.add(spaceOf(body), { title: textField(body, 'title'), body: textField(body, 'body') }).id,
    'blog-post': (body) =>
      state.add(spaceOf(body), {
        type: 'blogpost',
        title: textField(body, 'title'),
        body: textField(body, 'body'),
      }).id,
    attach: (body) =>
      state.attach(pageOf(body), { name: textField(body, 'name'), content: textField(body, 'content') }).id,
    label: (body) => void pageOf(body).labels.push(textField(body, 'label')),
    edit: (body) => state.edit(pageOf(body), { body: textField(body, 'body') }),
    comment: (body) => state.comment(pageOf(body), { body: textField(body, 'body') }).id,
    restrict: (body) => {
      pageOf(body).restriction = { users: ['ada', textField(body, 'user')], groups: [] }
    },
    trash: (body) => state.trash(pageOf(body)),
  }
}
