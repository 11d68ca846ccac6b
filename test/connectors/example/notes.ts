import { z } from 'zod'
import { type Feed, readingFeed } from '../../../src/providers/feed.ts'
import {
  ProviderError,
  type PermissionsEnd,
  type PermissionsPage,
  type ProviderItem,
  type ProviderSession,
  type SourceReader,
} from '../../../src/providers/adapter.ts'
import { createRest, type Rest, type RestOptions } from '../../../src/providers/rest.ts'
import { cutToBytes } from '../../../src/text/cut-to-bytes.ts'

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

export interface NoteOptions {
  /** Replaces `https://api.example.com`. */
  apiUrl: string
  /** Notes per page; 100 by default. */
  notesPerPage?: number
}

export const Me = z.object({ id: z.string(), name: z.string() })

export const REST: RestOptions = {
  name: 'Example',
  refused: ({ status }, words) => (status === 410 ? new ProviderError('cursor_expired', words) : undefined),
}

/** Reads an account's notes. */
export function createNoteReader(options: NoteOptions): SourceReader {
  const rest = createRest(REST)
  return {
    provider: 'example',
    ...readingFeed(async (session) => createNoteFeed(rest, session, options)),
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
  { apiUrl, notesPerPage: limit = 100 }: NoteOptions,
): Feed<null> {
  const get = <Schema extends z.ZodType>(path: string, schema: Schema) =>
    rest.json(session, { url: `${apiUrl}/v1/${path}` }, schema)
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

const listed = (ids: readonly string[]) => ids.map((externalId) => ({ externalId, entry: null }))

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
