/** Documents from an export of a workspace (docs/reference/export-format.md). */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { IngestDocument } from '../../client/src/index.ts'
import type { Source } from '../api-shapes.ts'
import { CommandError } from '../failures.ts'
import { sourceFor } from './choose-source.ts'
import type { Convert } from './record-kinds.ts'

const VERSION = 1
/** A request has at most 10 MiB. */
const DOCUMENT_BYTES_MAX = 9.5 * 1024 * 1024

const Header = z.object({
  format: z.literal('retrieval-memory'),
  version: z.int(),
  model: z.string().nullable(),
  sources: z.array(z.object({ id: z.string(), provider: z.string(), displayName: z.string() })),
})
type Header = z.output<typeof Header>

const End = z.object({ end: z.literal(true) })

/** Other fields of documents pass through. */
const Item = z.looseObject({
  id: z.string(),
  connectorId: z.string(),
  provider: z.string(),
  sourceKind: z.enum(['message', 'document', 'file']),
  externalId: z.string(),
  title: z.string(),
  body: z.string(),
  chunks: z.array(
    z.object({ heading: z.string().nullable(), content: z.string(), vector: z.base64().nullable() }),
  ),
})

/** The header of an export; null for anything else. @throws CommandError for a version that this program cannot read */
export function workspaceHeader(value: unknown): Header | null {
  const header = Header.safeParse(value)
  if (!header.success) return null
  if (header.data.version > VERSION)
    throw new CommandError(
      `The export has version ${header.data.version}, but this program reads version ${VERSION}: update it`,
    )
  return header.data
}

export const isEnd = (value: unknown): boolean => End.safeParse(value).success

/** Turns items into documents of these sources: the same source, else a push-only one of the same provider. */
export function workspaceConverter(
  { model, sources: exported }: Header,
  sources: readonly Source[],
): Convert {
  const names = new Map(exported.map(({ id, displayName }) => [id, displayName]))
  const target = ({ connectorId, provider }: z.output<typeof Item>): string => {
    const same = sources.find((source) => source.id === connectorId && source.provider === provider)
    const chosen = same ?? sourceFor(sources, provider, names.get(connectorId))
    if (chosen === undefined)
      throw new Error(`the service has no source of ${provider}; add it to PROVIDERS there`)
    return chosen.id
  }
  return (value) => {
    const item = Item.parse(value)
    const { id: _id, chunks, ...document } = item
    return [{ ...document, connectorId: target(item), ...embeddingOf(model, chunks, item.body) }]
  }
}

type Chunks = z.output<typeof Item>['chunks']

/** The chunks' vectors for the ingest; nothing unless each chunk has one and the request can hold them. */
function embeddingOf(
  model: string | null,
  chunks: Chunks,
  body: string,
): Pick<IngestDocument, 'embedding'> | undefined {
  const vectors = chunks.flatMap(({ vector }) => vector ?? [])
  if (model === null || vectors.length === 0 || vectors.length < chunks.length) return undefined
  const bytes = Buffer.concat(vectors.map((vector) => Buffer.from(vector, 'base64'))).toString('base64')
  if (bytes.length + JSON.stringify(body).length * 2 > DOCUMENT_BYTES_MAX) return undefined
  const texts = JSON.stringify(chunks.map(({ heading, content }) => [heading, content]))
  const chunksSha256 = createHash('sha256').update(texts).digest('hex')
  return { embedding: { model, chunksSha256, vectors: bytes } }
}
