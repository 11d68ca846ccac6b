import type { EmulatorReply } from '../kit/server.ts'
import { applies, showGrant } from './drive-permissions.ts'
import type { DriveState, EmulatedDrive, EmulatedItem } from './drive-state.ts'
import type { MicrosoftPeople } from './people.ts'
import {
  type GraphCall,
  graphError,
  type GraphRoute,
  inToken,
  NOT_FOUND,
  paged,
  selected,
  tokenOf,
} from './reply.ts'

const HOUR_MS = 3_600_000
const PAGE = 200
const FILES = ['Files.Read.All', 'Sites.Read.All']

const ITEM = new Set(
  'id,name,size,webUrl,createdDateTime,lastModifiedDateTime,createdBy,lastModifiedBy,parentReference,file,folder,package,remoteItem,malware,root,deleted,eTag,cTag,@microsoft.graph.downloadUrl,shared'.split(
    ',',
  ),
)
const DRIVE = new Set(['id', 'name', 'driveType', 'webUrl', 'owner', 'quota'])
const SITE = new Set(['id', 'displayName', 'name', 'webUrl'])
const PERMISSION = new Set(['id', 'roles', 'link', 'grantedToV2', 'grantedToIdentitiesV2', 'invitation'])

const iso = (at: number): string => new Date(at).toISOString()

export interface DriveRoutesOptions {
  state: DriveState
  people: MicrosoftPeople
  account: string
  now: () => number
}

const ofItem = { scopes: FILES, type: 'microsoft.graph.driveItem', properties: ITEM }
const ofDrive = { scopes: FILES, type: 'microsoft.graph.drive', properties: DRIVE }
const LIST = ['$select', '$top', '$skiptoken', '$expand', '$orderby']

/** The routes of drives and their files. */
export const driveRoutes = (options: DriveRoutesOptions): GraphRoute[] => [
  ...listRoutes(options),
  ...itemRoutes(options),
]

const showDrive = ({ id, name, siteId }: EmulatedDrive) => ({
  id,
  name,
  driveType: siteId === null ? 'business' : 'documentLibrary',
})

function listRoutes({ state }: DriveRoutesOptions): GraphRoute[] {
  return [
    {
      ...ofDrive,
      pattern: /^\/me\/drive$/,
      parameters: ['$select', '$expand'],
      answer(call) {
        const own = [...state.drives.values()].find(({ siteId }) => siteId === null)
        return own === undefined ? NOT_FOUND : { json: selected(showDrive(own), call.query.get('$select')) }
      },
    },
    {
      scopes: ['Sites.Read.All'],
      type: 'microsoft.graph.site',
      properties: SITE,
      pattern: /^\/me\/followedSites$/,
      parameters: LIST,
      answer: (call) =>
        paged(
          call,
          [...state.sites.values()]
            .filter(({ isFollowed }) => isFollowed)
            .map(({ id, displayName, webUrl }) => ({ id, displayName, webUrl })),
          2,
        ),
    },
    {
      ...ofDrive,
      pattern: /^\/sites\/([^/]+)\/drives$/,
      parameters: LIST,
      answer(call) {
        const site = state.sites.get(call.matched[0] ?? '')
        if (site === undefined || site.isClosed) return graphError(403, 'accessDenied', 'Access denied')
        const libraries = [...state.drives.values()].filter(({ siteId }) => siteId === site.id)
        return paged(call, libraries.map(showDrive), PAGE)
      },
    },
  ]
}

function itemRoutes(options: DriveRoutesOptions): GraphRoute[] {
  const { state } = options
  const withDrive = (call: GraphCall, answer: (drive: EmulatedDrive) => EmulatorReply): EmulatorReply => {
    const drive = state.drives.get(call.matched[0] ?? '')
    const site = state.sites.get(drive?.siteId ?? '')
    return drive === undefined || site?.isClosed === true ? NOT_FOUND : answer(drive)
  }
  const withItem = (
    call: GraphCall,
    answer: (item: EmulatedItem, drive: EmulatedDrive) => EmulatorReply,
  ): EmulatorReply =>
    withDrive(call, (drive) => {
      const item = state.items.get(call.matched[1] ?? '')
      return item?.driveId === drive.id && state.isThere(item) ? answer(item, drive) : NOT_FOUND
    })

  return [
    {
      ...ofItem,
      pattern: /^\/drives\/([^/]+)\/root\/delta$/,
      parameters: ['$select', '$top', '$expand', 'token'],
      answer: (call) => withDrive(call, (drive) => delta(options, call, drive)),
    },
    {
      ...ofItem,
      pattern: /^\/drives\/([^/]+)\/items\/([^/]+)$/,
      parameters: ['$select', '$expand'],
      answer: (call) =>
        withItem(call, (item) => ({
          json: selected(showItem(options, call, item), call.query.get('$select')),
        })),
    },
    {
      scopes: FILES,
      type: 'microsoft.graph.permission',
      properties: PERMISSION,
      pattern: /^\/drives\/([^/]+)\/items\/([^/]+)\/permissions$/,
      parameters: ['$select', '$top', '$skiptoken'],
      answer: (call) =>
        withItem(call, (item, { isOwned }) => {
          const grants = state.grantsOf(item).filter((grant) => isOwned || applies(grant, options.account))
          const shown = grants.map((grant, index) => showGrant(options.people, grant, index))
          return paged(call, shown, PAGE)
        }),
    },
  ]
}

/** https://learn.microsoft.com/graph/api/driveitem-delta */
function delta(options: DriveRoutesOptions, call: GraphCall, drive: EmulatedDrive): EmulatorReply {
  const { state } = options
  const given = call.query.get('token')
  const link = (token: object): string =>
    `${call.url}${call.path}?token=${tokenOf({ ...token, issued: state.sequence })}`
  const asked = { select: call.query.get('$select'), top: Number(call.query.get('$top') ?? PAGE) }
  if (given === 'latest')
    return { json: { value: [], '@odata.deltaLink': link({ ...asked, since: state.sequence }) } }
  const token = given === null ? { ...asked, since: 0 } : inToken(given)
  if (token === null || typeof token['since'] !== 'number')
    return graphError(400, 'invalidRequest', 'The provided token is malformed.')
  const { since, until = state.sequence, after = since } = numbersIn(token)
  if (given !== null && !(Number(token['issued']) >= drive.oldest))
    return graphError(410, 'resyncChangesApplyDifferences', 'Resync required. Replace any local items.', {
      location: `${call.url}${call.path}`,
    })
  const top = Number(token['top'] ?? PAGE)
  const select = typeof token['select'] === 'string' ? token['select'] : null
  const changed = [...state.items.values()]
    .filter((item) => item.driveId === drive.id && item.sequence > after && item.sequence <= until)
    .filter((item) => (since === 0 ? state.isThere(item) : isReported(state, item)))
    .toSorted((one, other) => one.sequence - other.sequence)
  const page = changed.slice(0, top)
  const value = withParents(state, page, call).map((item) =>
    selected(showChanged(options, call, item), select),
  )
  // "The same item may appear more than once in a delta feed": the last time counts.
  const [first] = value
  if (first !== undefined && value.length > 1) value.unshift({ ...first, name: 'An old name' })
  const last = page.at(-1)
  const next =
    changed.length > page.length && last !== undefined
      ? { '@odata.nextLink': link({ ...token, until, after: last.sequence }) }
      : { '@odata.deltaLink': link({ ...token, since: until, until: undefined, after: undefined }) }
  return { json: { value, ...next } }
}

function numbersIn(token: Record<string, unknown>): { since: number; until?: number; after?: number } {
  const number = (name: string) => (typeof token[name] === 'number' ? { [name]: token[name] } : {})
  return { since: 0, ...number('since'), ...number('until'), ...number('after') }
}

/** Graph reports a deletion, but not those of its descendants. */
const isReported = (state: DriveState, item: EmulatedItem): boolean =>
  state
    .chainOf(item)
    .slice(1)
    .every(({ isDeleted, isHidden }) => !isDeleted && !isHidden)

/** Parent folders are also reported, unless the request excludes them. */
function withParents(state: DriveState, page: readonly EmulatedItem[], call: GraphCall): EmulatedItem[] {
  if (call.headers['deltaexcludeparent'] !== undefined) return [...page]
  return [...new Set([...page.flatMap((item) => state.chainOf(item).slice(1)), ...page])]
}

/** In delta format: without the parent's path, and without a name if deleted. */
function showChanged(
  options: DriveRoutesOptions,
  call: GraphCall,
  item: EmulatedItem,
): Record<string, unknown> {
  const { name, parentReference: _parent, cTag: _tag, ...shown } = showItem(options, call, item)
  const parentReference = { driveId: item.driveId, id: item.parentId }
  return item.isDeleted || item.isHidden
    ? { ...shown, parentReference, deleted: { state: 'deleted' } }
    : { ...shown, name, parentReference }
}

function showItem(
  { state, people, now }: DriveRoutesOptions,
  call: GraphCall,
  item: EmulatedItem,
): Record<string, unknown> {
  const { id, kind, name, createdAt, changedAt, content, mimeType } = item
  const { id: userId, displayName, mail: email } = people.get(item.createdBy)
  const above = state.chainOf(item).slice(1).toReversed()
  const folders = above.slice(1).map((folder) => encodeURIComponent(folder.name))
  const size = Buffer.byteLength(content)
  const facet: Record<EmulatedItem['kind'], object> = {
    root: { root: {}, folder: { childCount: 1 } },
    folder: { folder: { childCount: 1 } },
    file: {
      size,
      file: { mimeType },
      '@microsoft.graph.downloadUrl': `${call.url}/download/${tokenOf({ id, until: now() + HOUR_MS })}`,
    },
    package: { package: { type: 'oneNote' } },
    shortcut: { remoteItem: { id: 'elsewhere', folder: {} } },
  }
  return {
    id,
    name,
    createdDateTime: iso(createdAt),
    lastModifiedDateTime: iso(changedAt),
    createdBy: { user: { id: userId, displayName, email } },
    webUrl: `https://acme.sharepoint.example/${id}`,
    eTag: `"${id},${item.sequence}"`,
    cTag: `"c:${id},${changedAt}"`,
    ...(item.parentId !== null && {
      parentReference: {
        driveId: item.driveId,
        id: item.parentId,
        path: ['/drives', item.driveId, ['root:', ...folders].join('/')].join('/'),
      },
    }),
    ...facet[kind],
    ...item.odd,
  }
}

/**
 * The bytes of a file. This address needs no token, and the emulator refuses one, because it must not be sent outside
 * Graph.
 */
export function download({ state, now }: DriveRoutesOptions, call: GraphCall): EmulatorReply {
  if (call.headers['authorization'] !== undefined)
    return graphError(401, 'unauthenticated', 'A download address takes no token')
  const token = inToken(call.matched[0] ?? '')
  const item = state.items.get(String(token?.['id']))
  if (item === undefined || !(Number(token?.['until']) > now())) return NOT_FOUND
  return { bytes: Buffer.from(item.content) }
}
