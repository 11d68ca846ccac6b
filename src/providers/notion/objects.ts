import { z } from 'zod'
import { ProviderError, returnIf } from '../adapter.ts'
import { isNotThere, isUnsupported, type NotionRun } from './client.ts'
import type { NotionRef } from './cursor.ts'

/** Rich text; empty when the field holds something else. */
export const richTextSchema = z
  .array(
    z.looseObject({
      plain_text: z.string().exactOptional(),
      href: z.string().nullable().exactOptional(),
      text: z.looseObject({ content: z.string() }).exactOptional(),
    }),
  )
  .catch([])
export type RichText = z.output<typeof richTextSchema>

export function plainText(rich: RichText): string {
  return rich.map((part) => part.plain_text ?? part.text?.content ?? '').join('')
}

const time = z
  .string()
  .refine((text) => !Number.isNaN(Date.parse(text)))
  .transform((text) => new Date(text).toISOString())
const person = z
  .looseObject({ id: z.string() })
  .transform(({ id }) => id)
  .nullable()
  .catch(null)
// A schema is compiled when it is first used, so each is made once.
const parentSchema = z.looseObject({ type: z.enum(['page_id', 'data_source_id', 'database_id', 'block_id']) })
const PARENT_KINDS = {
  page_id: 'page',
  data_source_id: 'data_source',
  database_id: 'database',
  block_id: 'block',
} as const
const propertySchema = z.looseObject({ type: z.string() })
export type NotionProperty = z.output<typeof propertySchema>
const parent = z.unknown().optional().transform(toParent)

// A missing field must not cost the page: only the id and the last edit time are required.
const common = {
  id: z.string(),
  /** ISO 8601 in UTC; null when Notion omits it. */
  created_time: time.nullable().catch(null),
  last_edited_time: time,
  in_trash: z.boolean().optional().catch(undefined),
  /** The former name of `in_trash`. */
  archived: z.boolean().optional().catch(undefined),
  url: z.string().optional().catch(undefined),
  /** Null when not published to the web. */
  public_url: z.string().nullable().catch(null),
  created_by: person,
  last_edited_by: person,
  /** Null at the top of the workspace, and inside objects of unknown types. */
  parent,
}

function filledIn<
  Raw extends Pick<z.output<z.ZodObject<typeof common>>, 'id' | 'in_trash' | 'archived' | 'url'>,
>({ in_trash, archived, url, ...rest }: Raw) {
  return {
    ...rest,
    in_trash: in_trash ?? archived ?? false,
    url: url ?? `https://www.notion.so/${rest.id.replaceAll('-', '')}`,
  }
}

const pageSchema = z
  .object({
    object: z.literal('page'),
    ...common,
    properties: z
      .record(z.string(), z.unknown())
      .catch({})
      .transform((all): (NotionProperty & { name: string })[] =>
        Object.entries(all).flatMap(([name, value]) => {
          const { data } = propertySchema.safeParse(value)
          return data === undefined ? [] : [{ ...data, name }]
        }),
      ),
  })
  .transform((page) => filledIn(page))
export type NotionPage = z.output<typeof pageSchema>

/** A table of a database. Its parent is its database's parent. */
const dataSourceSchema = z
  .object({
    object: z.literal('data_source'),
    ...common,
    database_parent: z.unknown().optional(),
    title: richTextSchema.transform(plainText),
    description: richTextSchema.transform(plainText),
    properties: z.record(z.string(), z.unknown()).catch({}),
  })
  .transform(({ database_parent, properties, ...source }) => ({
    ...filledIn(source),
    // When the answer omits it, the database is requested.
    parent: database_parent ? toParent(database_parent) : source.parent,
    columns: Object.keys(properties),
  }))
export type NotionDataSource = z.output<typeof dataSourceSchema>

/** Search finds pages and the data sources of databases; each becomes an item. */
const objectSchema = z.union([pageSchema, dataSourceSchema])
export type NotionObject = z.output<typeof objectSchema>

const referenceSchema = z.object({ object: z.enum(['page', 'data_source', 'database']), id: z.string() })

/** The parent in an answer; null for the workspace and unknown types. */
export function toParent(raw: unknown) {
  const { data } = parentSchema.safeParse(raw)
  const id = data?.[data.type]
  return data !== undefined && typeof id === 'string' ? { kind: PARENT_KINDS[data.type], id } : null
}
export type NotionParent = NonNullable<ReturnType<typeof toParent>>

/** Parses a page or data source; null when it is neither, or "partial" (id only). */
export const toNotionObject = (raw: unknown): NotionObject | null => objectSchema.safeParse(raw).data ?? null

/** The type and id of a partial answer. */
export function toNotionRef(raw: unknown): NotionRef | null {
  const parsed = referenceSchema.safeParse(raw)
  return parsed.success ? { kind: parsed.data.object, id: parsed.data.id } : null
}

/** A page; null when it does not exist for us. @throws ProviderError */
export async function retrievePage(run: NotionRun, id: string): Promise<NotionObject | null> {
  const answer = run.call(`pages/${encodeURIComponent(id)}`, z.unknown())
  return whole(await answer.catch(returnIf(isNotThere, null)))
}

/** A data source; null when it does not exist for us, or Notion does not support data sources. @throws ProviderError */
export async function retrieveDataSource(run: NotionRun, id: string): Promise<NotionObject | null> {
  const answer = run.call(`data_sources/${encodeURIComponent(id)}`, z.unknown())
  return whole(await answer.catch(returnIf(isUnsupported, null)))
}

function whole(answer: unknown): NotionObject | null {
  if (answer === null) return null
  const object = toNotionObject(answer)
  // Not the same as gone: its stored version stays.
  if (!object) throw new ProviderError('rejected', 'Notion returned only its ID')
  return object
}

export const List = z
  .object({
    results: z.array(z.unknown()),
    next_cursor: z.string().nullish(),
    has_more: z.boolean().optional(),
    request_status: z.object({ type: z.string() }).optional().catch(undefined),
  })
  .transform(({ results, next_cursor: next, has_more: hasMore, request_status: status }) => ({
    results,
    nextCursor: hasMore === false ? null : next || null,
    /** There is more than Notion lists in one query. */
    isIncomplete: status?.type === 'incomplete',
  }))
