/** Documents from records of other services, in the shapes that docs/guides/move-here.md names. */
import { z } from 'zod'
import type { IngestDocument } from '../../client/src/index.ts'
import { externalIdOf, type IngestTarget } from './ingest-document.ts'
import { splitParts } from './split-parts.ts'

/** Turns a record into documents. @throws Error or ZodError that says what is wrong with it */
export type Convert = (record: unknown) => IngestDocument[]

interface RecordKind {
  name: string
  is(record: object): boolean
  converterTo(target: IngestTarget): Convert
}

const TITLE_CHARACTERS_MAX = 80

const optionalText = z.string().nullish()
const texts = z.array(z.string()).nullish()
const id = z.union([z.string().min(1), z.number()]).transform(String)
/** Other services allow other values, which say nothing here. */
const metadata = z.record(z.string(), z.unknown()).catch({})

const Mem0Memory = z.object({
  id,
  memory: z.string(),
  user_id: optionalText,
  agent_id: optionalText,
  app_id: optionalText,
  run_id: optionalText,
  categories: texts,
  metadata,
  created_at: optionalText,
  updated_at: optionalText,
})

const SupermemoryDocument = z.object({
  id,
  customId: optionalText,
  title: optionalText,
  content: optionalText,
  url: optionalText,
  type: optionalText,
  containerTags: texts,
  metadata,
  createdAt: optionalText,
  updatedAt: optionalText,
})

/** A record of any service, in words of its own. */
interface Foreign {
  name: string
  title: string | null | undefined
  text: string
  url?: string | null | undefined
  created: string | null | undefined
  updated: string | null | undefined
  metadata: Record<string, unknown>
  fields: Record<string, unknown>
}

export const RECORD_KINDS: readonly RecordKind[] = [
  {
    name: 'mem0',
    is: (record) => 'memory' in record && 'id' in record,
    converterTo: (target) => (record) => {
      const { id: key, memory, metadata: own, created_at, updated_at, ...fields } = Mem0Memory.parse(record)
      const name = `mem0/${key}`
      return toDocuments(target, {
        name,
        title: null,
        text: memory,
        created: created_at,
        updated: updated_at,
        metadata: own,
        fields,
      })
    },
  },
  {
    name: 'supermemory',
    is: (record) => 'id' in record && ('customId' in record || 'containerTags' in record),
    converterTo: (target) => (record) => {
      const one = SupermemoryDocument.parse(record)
      const { title, content, url, createdAt: created, updatedAt: updated, type, containerTags } = one
      if (content === null || content === undefined)
        throw new Error('it has no content; list the documents with includeContent: true')
      const name = `supermemory/${one.customId ?? one.id}`
      const fields = { type, containerTags }
      return toDocuments(target, {
        name,
        title,
        text: content,
        url: url !== null && url !== undefined && URL.canParse(url) ? url : null,
        created,
        updated,
        metadata: one.metadata,
        fields,
      })
    },
  },
]

function toDocuments(target: IngestTarget, record: Foreign): IngestDocument[] {
  const { name, text, url, created, updated } = record
  if (text.trim() === '') throw new Error('it has no text')
  const title = titleOf(record.title) ?? titleOf(text) ?? name
  // An access policy grants reading here, and another service's metadata is no grant.
  const { accessPolicy: _, ...own } = record.metadata
  const fields = Object.entries(record.fields).filter(([, value]) => value !== null && value !== undefined)
  const parts = splitParts(text)
  return parts.map((body, part) => ({
    connectorId: target.sourceId,
    provider: target.provider,
    sourceKind: 'document',
    externalId: externalIdOf(name, part),
    title: title + (parts.length === 1 ? '' : ` (part ${part + 1})`),
    body,
    url: url ?? null,
    sourceCreatedAt: momentOf(created),
    sourceUpdatedAt: momentOf(updated),
    metadata: { ...own, ...Object.fromEntries(fields) },
  }))
}

/** The first words of a text; null without any. */
function titleOf(text: string | null | undefined): string | null {
  const line = (text ?? '')
    .slice(0, 10 * TITLE_CHARACTERS_MAX)
    .replace(/\s+/g, ' ')
    .trim()
  if (line.length <= TITLE_CHARACTERS_MAX) return line || null
  return `${line.slice(0, TITLE_CHARACTERS_MAX - 1).toWellFormed()}…`
}

function momentOf(text: string | null | undefined): string | null {
  const at = new Date(text ?? Number.NaN)
  return Number.isNaN(at.getTime()) ? null : at.toISOString()
}
