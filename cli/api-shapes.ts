import { z } from 'zod'

/** The fields that the command line reads; others pass through for `--json`. */

const provider = z.string()

export const Hit = z.looseObject({
  sourceItemId: z.string(),
  title: z.string(),
  content: z.string(),
  url: z.string(),
  provider,
  score: z.number(),
  metadata: z.record(z.string(), z.unknown()),
})
export type Hit = z.infer<typeof Hit>

export const SearchResponse = z.looseObject({ query: z.string(), hits: z.array(Hit) })

const Citation = z.looseObject({ index: z.int(), sourceItemId: z.string(), title: z.string() })
export type Citation = z.infer<typeof Citation>

const ContextItem = z.looseObject({ sourceItemId: z.string(), url: z.string(), provider })
export type ContextItem = z.infer<typeof ContextItem>

export const Limitation = z.looseObject({ code: z.string(), message: z.string() })
export type Limitation = z.infer<typeof Limitation>

export const AskResponse = z.looseObject({
  question: z.string(),
  answer: z.string(),
  citations: z.array(Citation),
  context: z.array(ContextItem),
  limitations: z.array(Limitation),
})
export type AskResponse = z.infer<typeof AskResponse>

export const ItemMetadata = z.looseObject({ metadata: z.record(z.string(), z.unknown()) })

export const ApiKey = z.looseObject({
  id: z.string(),
  name: z.string(),
  prefix: z.string(),
  actorType: z.string(),
  allowedActions: z.array(z.string()),
  allowedProviders: z.array(z.string()).nullable(),
  lastUsedAt: z.string().nullable(),
  createdAt: z.string(),
})
export type ApiKey = z.infer<typeof ApiKey>

export const KeyCreated = z.looseObject({ apiKey: ApiKey, secret: z.string() })
export const KeyRevoked = z.looseObject({ apiKey: ApiKey, revokedAt: z.string() })

export const Group = z.looseObject({
  id: z.string(),
  name: z.string().nullable(),
  origin: z.string(),
  memberCount: z.int(),
  members: z.array(z.string()),
  updatedAt: z.string(),
})
export type Group = z.infer<typeof Group>

export const GroupResponse = z.looseObject({ group: Group })

export const Source = z.looseObject({
  id: z.string(),
  provider,
  status: z.string(),
  displayName: z.string(),
  externalAccountId: z.string(),
  lastSyncedAt: z.string().nullable(),
  errorMessage: z.string().nullable(),
  sourceItemCount: z.int(),
  updatedAt: z.string(),
})
export type Source = z.infer<typeof Source>

export const SourceList = z.looseObject({ sources: z.array(Source) })
export const SourceResponse = z.looseObject({ source: Source })

const allowlist = z.array(z.string()).nullable()
const Channel = z.looseObject({
  id: z.string(),
  name: z.string(),
  isPrivate: z.boolean(),
  memberCount: z.int(),
})
export const ChannelList = z.looseObject({ channels: z.array(Channel), channelAllowlist: allowlist })
export const AllowlistResponse = z.looseObject({ displayName: z.string(), channelAllowlist: allowlist })

export const SyncRun = z.looseObject({
  id: z.string(),
  connectorId: z.string(),
  status: z.enum(['queued', 'running', 'succeeded', 'failed']),
  fullResync: z.boolean(),
  startedAt: z.string().nullable(),
  itemsDiscovered: z.int(),
  itemsIngested: z.int(),
  itemsDeleted: z.int(),
  errorMessage: z.string().nullable(),
  createdAt: z.string(),
})
export type SyncRun = z.infer<typeof SyncRun>

export const SyncRunList = z.looseObject({ syncRuns: z.array(SyncRun) })
export const SyncRunRequested = z.looseObject({
  syncRun: z.looseObject({ id: z.string(), connectorId: z.string() }),
  alreadyActive: z.boolean(),
})
export const SyncRunDetails = z.looseObject({
  /** Until when a queued run waits at the provider's request; absent from older services. */
  waitingUntil: z.string().nullish(),
  /** Whether the account's access has ended, and when the source is next synced; absent from older services. */
  needsReconnection: z.boolean().optional(),
  nextRunAt: z.string().nullish(),
  syncRun: SyncRun,
  itemsFailed: z.int(),
  /** `title` is absent from older services. */
  failures: z.array(
    z.looseObject({ externalId: z.string(), title: z.string().nullish(), message: z.string() }),
  ),
})

export const Me = z.looseObject({
  organizations: z.array(z.looseObject({ id: z.string(), name: z.string() })),
})
export const AuthorizeResponse = z.looseObject({ url: z.string() })

const ConnectFormField = z.looseObject({
  name: z.string(),
  label: z.string(),
  help: z.string(),
  secret: z.boolean(),
  required: z.boolean(),
})
export type ConnectFormField = z.infer<typeof ConnectFormField>

export const ConnectorList = z.looseObject({
  /** Older services have no forms. */
  connectors: z.array(z.looseObject({ provider, form: z.array(ConnectFormField).nullish() })),
})
export const ConnectResponse = z.looseObject({ connectorId: z.string() })

const Document = z.looseObject({
  id: z.string(),
  provider,
  sourceKind: z.string(),
  externalId: z.string(),
  title: z.string(),
  url: z.string().nullable(),
  authorName: z.string().nullable(),
  sourceUpdatedAt: z.string().nullable(),
  updatedAt: z.string(),
})
export type ListedDocument = z.infer<typeof Document>

export const DocumentList = z.looseObject({
  sourceItems: z.array(Document),
  nextCursor: z.string().nullable(),
})
export type DocumentList = z.infer<typeof DocumentList>

export const StoredDocument = Document.extend({ body: z.string(), sourceCreatedAt: z.string().nullable() })
export type StoredDocument = z.infer<typeof StoredDocument>

const CanvasNode = z.looseObject({
  id: z.string(),
  kind: z.enum(['entity', 'source']),
  type: z.string(),
  label: z.string(),
  weight: z.number(),
})
export type CanvasNode = z.infer<typeof CanvasNode>
const CanvasEdge = z.looseObject({
  source: z.string(),
  target: z.string(),
  type: z.string(),
  weight: z.number(),
})
export type CanvasEdge = z.infer<typeof CanvasEdge>

export const CanvasResponse = z.looseObject({
  nodes: z.array(CanvasNode),
  edges: z.array(CanvasEdge),
  complete: z.boolean(),
  itemsWaiting: z.int(),
})

export const Reembedding = z.looseObject({
  status: z.enum(['idle', 'running', 'succeeded']),
  model: z.string().nullable(),
  chunksTotal: z.int(),
  chunksDone: z.int(),
  errorMessage: z.string().nullable(),
})
export type Reembedding = z.infer<typeof Reembedding>

export const Anything = z.looseObject({})
