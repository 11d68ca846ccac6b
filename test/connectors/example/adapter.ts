import { z } from 'zod'
import { type Feed, readFeed } from '../../../src/providers/feed.ts'
import { createOAuth } from '../../../src/providers/oauth.ts'
import {
  ProviderError,
  type PermissionsEnd,
  type PermissionsPage,
  type OAuthAdapter,
  type ProviderItem,
  type ProviderSession,
} from '../../../src/providers/provider.ts'
import { createRest, parseAnswer, type Rest } from '../../../src/providers/rest.ts'
import { cutToBytes } from '../../../src/text/cut-to-bytes.ts'

const Me = z.object({ id: z.string(), name: z.string() })
const Note = z.object({
  folder: z.string(),
  title: z.string(),
  text: z.string(),
  updatedAt: z.iso.datetime(),
  readers: z.array(z.string()),
})
const Ids = z.object({ ids: z.array(z.string()), more: z.boolean() })
const Position = z.object({ position: z.number() })
const Changes = z.object({
  changes: z.array(z.object({ id: z.string(), isDeleted: z.boolean() })),
  position: z.number(),
  more: z.boolean(),
})

export interface ExampleAdapterOptions {
  clientId: string
  clientSecret: string
  /** Replaces `https://api.example.com`. */
  apiUrl: string
  /** Notes per page; 100 by default. */
  notesPerPage?: number
  now: () => Date
}

/** Reads an account's notes. */
export function createExampleAdapter(options: ExampleAdapterOptions): OAuthAdapter {
  const { apiUrl } = options
  const rest = createRest({
    name: 'Example',
    refused: ({ status }, words) => (status === 410 ? new ProviderError('cursor_expired', words) : undefined),
  })
  const oauth = createOAuth({
    ...options,
    name: 'Example',
    authorizeUrl: `${apiUrl}/authorize`,
    tokenUrl: `${apiUrl}/token`,
    revokeUrl: `${apiUrl}/revoke`,
    scopes: ['notes:read'],
    usesPkce: true,
    async identify(get) {
      const { id, name } = parseAnswer(await get(`${apiUrl}/v1/me`), Me, 'Example')
      return { externalAccountId: id, displayName: name }
    },
  })
  return {
    provider: 'example',
    ...oauth,
    listChanges: (session, input) =>
      readFeed(session, input, createNoteFeed(rest, session, { apiUrl, limit: options.notesPerPage ?? 100 })),
    // A change of readers is a change of the note, so a run, which costs one request, reports it.
    async *listPermissions(): AsyncGenerator<PermissionsPage, PermissionsEnd> {
      yield { groups: [], policies: [] }
      return { groupIds: null, needsRun: true }
    },
  }
}

function createNoteFeed(
  rest: Rest,
  session: ProviderSession,
  { apiUrl, limit }: { apiUrl: string; limit: number },
): Feed<null> {
  const get = <Schema extends z.ZodType>(path: string, schema: Schema) =>
    rest.json(session, { url: `${apiUrl}/v1/${path}` }, schema)
  const listed = (ids: readonly string[]) => ids.map((externalId) => ({ externalId, entry: null }))
  return {
    start: async () => (await get('position', Position)).position,
    async list(after) {
      const { ids, more } = await get(`notes?limit=${limit}&after=${String(after ?? '')}`, Ids)
      return { listed: listed(ids), next: ids.at(-1) ?? after, isLast: !more }
    },
    async changes(since) {
      const { changes, position, more } = await get(`changes?limit=${limit}&since=${String(since)}`, Changes)
      const [gone, there] = [true, false].map((is) =>
        changes.filter(({ isDeleted }) => isDeleted === is).map(({ id }) => id),
      )
      return { listed: listed(there ?? []), gone: gone ?? [], next: position, isLast: !more }
    },
    async read(id) {
      try {
        return itemOf(id, await get(`notes/${id}`, Note), session)
      } catch (error) {
        // Deleted since it was listed.
        if (error instanceof ProviderError && error.code === '404') return null
        throw error
      }
    },
  }
}

function itemOf(
  externalId: string,
  { folder, title, text, updatedAt, readers }: z.output<typeof Note>,
  { account, limits }: ProviderSession,
): ProviderItem | null {
  const body = cutToBytes(text, limits.maxTextBytes).trim()
  if (body === '') return null
  return {
    externalId,
    sourceKind: 'document',
    title,
    body,
    url: `https://example.com/notes/${externalId}`,
    authorName: null,
    sourceCreatedAt: null,
    sourceUpdatedAt: new Date(updatedAt),
    metadata: {
      workspace: account.displayName,
      folder,
      accessPolicy: { visibility: 'restricted', users: readers },
    },
  }
}
