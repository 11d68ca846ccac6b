import { type AskEvent, readAskEvents } from './ask-stream.ts'
import { Groups } from './groups.ts'
import { ingestDocuments, type IngestOptions, type IngestProgress } from './ingest.ts'
import type { IngestDocument } from './ingest-batches.ts'
import type { Input, Output, Shape } from './operations.ts'
import {
  createTransport,
  type RawAnswer,
  type RawRequest,
  type RequestOptions,
  type Transport,
  type TransportOptions,
} from './transport.ts'

export type MemoryOptions = TransportOptions

export type SearchRequest = Input<'search'>['body']
export type AskRequest = Input<'ask'>['body']
export type NewApiKey = Input<'createApiKey'>['body']
export type SyncRunQuery = NonNullable<Input<'listSyncRuns'>['query']>
export type SourceItemQuery = Omit<NonNullable<Input<'listSourceItems'>['query']>, 'cursor'>
export type SourceItemPage = Output<'listSourceItems'>
export type ListedSourceItem = SourceItemPage['sourceItems'][number]
export type SourceItemKey = Input<'deleteSourceItemByExternalId'>['query']
/** Options of a call that reads one item. */
export interface ReadOptions extends RequestOptions {
  /** The email address of a person: the call finds only what this person may read. */
  onBehalfOf?: string | undefined
}
export type ExportRequest = NonNullable<Input<'exportWorkspace'>['body']>
export type CanvasQuery = NonNullable<Input<'memoryCanvas'>['query']>

/**
 * A client of the service, with a key of one organization. Every method rejects with `MemoryError` if the service returns an
 * error, with `MemoryConnectionError` if there is no complete answer, and with the reason of `signal` if that is aborted.
 */
export class Memory {
  readonly #transport: Transport
  readonly sourceItems: SourceItems
  readonly sources: Sources
  readonly syncRuns: SyncRuns
  readonly auditEvents: AuditEvents
  readonly apiKeys: ApiKeys
  readonly groups: Groups
  readonly memoryCanvas: MemoryCanvas
  readonly maintenance: Maintenance

  /** @throws TypeError for an invalid key or URL */
  constructor(options: MemoryOptions) {
    const transport = createTransport(options)
    this.#transport = transport
    this.sourceItems = new SourceItems(transport)
    this.sources = new Sources(transport)
    this.syncRuns = new SyncRuns(transport)
    this.auditEvents = new AuditEvents(transport)
    this.apiKeys = new ApiKeys(transport)
    this.groups = new Groups(transport)
    this.memoryCanvas = new MemoryCanvas(transport)
    this.maintenance = new Maintenance(transport)
  }

  /** The address of the service, without a trailing slash. */
  get url(): string {
    return this.#transport.url
  }

  /** The passages nearest to a query, best first. 1 credit. */
  search(request: string | SearchRequest, options?: RequestOptions): Promise<Output<'search'>> {
    return this.#transport.call('search', { body: toRequest(request) }, options)
  }

  /** The Context Contract: hits with citations, exclusions and limitations. 1 credit. */
  context(request: string | SearchRequest, options?: RequestOptions): Promise<Output<'context'>> {
    return this.#transport.call('context', { body: toRequest(request) }, options)
  }

  /** An answer whose markers `[N]` point to its citations. 1 credit. */
  ask(request: string | AskRequest, options?: RequestOptions): Promise<Output<'ask'>> {
    return this.#transport.call('ask', { body: toRequest(request) }, options)
  }

  /** Streams the answer while it is written; to cancel, stop reading. Costs 1 credit once its first piece arrives. */
  async *askStream(request: string | AskRequest, options?: RequestOptions): AsyncGenerator<AskEvent, void> {
    const body = JSON.stringify(toRequest(request))
    const asked = { method: 'POST', path: '/v1/ask', body, accept: 'text/event-stream' } as const
    yield* readAskEvents(await this.#transport.open(asked, options))
  }

  /**
   * Stores any number of documents in as many requests as needed. They are searchable when it resolves. It costs no credits
   * and is safe to repeat, because unchanged documents are skipped.
   * @throws IngestError if a request is refused because of its documents, RangeError for a document that is too large for
   * any request; with `onRefused`, neither
   */
  ingest(
    documents: Iterable<IngestDocument> | AsyncIterable<IngestDocument>,
    options: IngestOptions = {},
  ): Promise<IngestProgress> {
    return ingestDocuments(this.#transport, documents, options)
  }

  /** An export of all items with their vectors, as text in pieces: a JSON object per line. */
  async *export(request: ExportRequest = {}, options?: RequestOptions): AsyncGenerator<string, void> {
    const body = JSON.stringify(request)
    const accept = 'application/x-ndjson'
    const asked = { method: 'POST', path: '/v1/export', body, accept, idempotent: true } as const
    yield* (await this.#transport.open(asked, options)).pieces()
  }

  /** Sends a request to any route, with the same key, retries and errors as every call. Returns the answer as text. */
  send(request: RawRequest, options?: RequestOptions): Promise<RawAnswer> {
    return this.#transport.send(request, options)
  }
}

/** Methods of one kind of resource. */
class Resource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }
}

/** Stored items. */
class SourceItems extends Resource {
  /** Every item, last changed first. Pages are read as needed. */
  async *list(query: SourceItemQuery = {}, options?: RequestOptions): AsyncGenerator<ListedSourceItem, void> {
    for await (const page of this.pages(query, options)) yield* page.sourceItems
  }

  /** The same in pages of `limit` items (default 50, at most 200). */
  async *pages(query: SourceItemQuery = {}, options?: RequestOptions): AsyncGenerator<SourceItemPage, void> {
    let cursor: string | null = null
    do {
      const from = cursor === null ? query : { ...query, cursor }
      const page: SourceItemPage = await this.transport.call('listSourceItems', { query: from }, options)
      yield page
      cursor = page.nextCursor
    } while (cursor !== null)
  }

  /** An item with its text. */
  async get(id: string, options: ReadOptions = {}): Promise<Output<'getSourceItem'>['sourceItem']> {
    const { onBehalfOf, ...rest } = options
    const query = onBehalfOf === undefined ? {} : { onBehalfOf }
    return (await this.transport.call('getSourceItem', { path: { id }, query }, rest)).sourceItem
  }

  /** Who may read an item, and why. */
  async readers(id: string, { onBehalfOf, ...options }: ReadOptions = {}): Promise<Shape<'ItemReader'>[]> {
    const query = onBehalfOf === undefined ? {} : { onBehalfOf }
    return (await this.transport.call('listItemReaders', { path: { id }, query }, options)).readers
  }

  /** Deletes an item by its ID or its key in your system. A retry may find it already deleted (404). */
  async delete(item: string | SourceItemKey, options?: RequestOptions): Promise<Output<'deleteSourceItem'>> {
    return typeof item === 'string'
      ? await this.transport.call('deleteSourceItem', { path: { id: item } }, options)
      : await this.transport.call('deleteSourceItemByExternalId', { query: item }, options)
  }
}

/** The sources of documents. */
class Sources extends Resource {
  async list(options?: RequestOptions): Promise<Shape<'Source'>[]> {
    return (await this.transport.call('listSources', {}, options)).sources
  }

  /** The channels that a Slack source's bot sees, and the allowlist. */
  channels(id: string, options?: RequestOptions): Promise<Output<'listSourceChannels'>> {
    return this.transport.call('listSourceChannels', { path: { id } }, options)
  }

  /** Limits a Slack source to these channel IDs; null means all channels the bot is in. Applies to the next run. */
  setChannelAllowlist(
    id: string,
    channelAllowlist: string[] | null,
    options?: RequestOptions,
  ): Promise<Output<'updateSource'>> {
    return this.transport.call('updateSource', { path: { id }, body: { channelAllowlist } }, options)
  }
}

/** Sync runs of sources. */
class SyncRuns extends Resource {
  /** One page of runs, newest first: 500 by default and at most. */
  async list(query: SyncRunQuery = {}, options?: RequestOptions): Promise<Shape<'SyncRun'>[]> {
    return (await this.transport.call('listSyncRuns', { query }, options)).syncRuns
  }

  /** Every page of runs, newest first. */
  async *pages(
    query: SyncRunQuery = {},
    options?: RequestOptions,
  ): AsyncGenerator<Output<'listSyncRuns'>, void> {
    let cursor: string | undefined
    do {
      const from = cursor === undefined ? query : { ...query, cursor }
      const page: Output<'listSyncRuns'> = await this.transport.call('listSyncRuns', { query: from }, options)
      yield page
      cursor = page.nextCursor
    } while (cursor !== undefined)
  }

  /** A run with the items that could not be read. */
  get(id: string, options?: RequestOptions): Promise<Output<'getSyncRun'>> {
    return this.transport.call('getSyncRun', { path: { id } }, options)
  }

  /** Queues a run, or returns the one that is already active (`alreadyActive`). */
  start(run: Input<'createSyncRun'>['body'], options?: RequestOptions): Promise<Output<'createSyncRun'>> {
    return this.transport.call('createSyncRun', { body: run }, options)
  }
}

/** The audit trail. */
class AuditEvents extends Resource {
  /** The newest events first: 100 by default, at most 500. */
  async list(
    query: NonNullable<Input<'listAuditEvents'>['query']> = {},
    options?: RequestOptions,
  ): Promise<Shape<'AuditEvent'>[]> {
    return (await this.transport.call('listAuditEvents', { query }, options)).auditEvents
  }
}

/** Keys of the organization. */
class ApiKeys extends Resource {
  /** Live keys, newest first. */
  async list(options?: RequestOptions): Promise<Shape<'ApiKey'>[]> {
    return (await this.transport.call('listApiKeys', {}, options)).apiKeys
  }

  /** Creates a key. Only this response contains its secret. */
  create(key: NewApiKey, options?: RequestOptions): Promise<Output<'createApiKey'>> {
    return this.transport.call('createApiKey', { body: key }, options)
  }

  /** Revokes a key at once. A retry may find it already revoked (404). */
  revoke(id: string, options?: RequestOptions): Promise<Output<'revokeApiKey'>> {
    return this.transport.call('revokeApiKey', { path: { id } }, options)
  }
}

/** The graph of entities in the items. */
class MemoryCanvas extends Resource {
  get(query: CanvasQuery = {}, options?: RequestOptions): Promise<Shape<'MemoryCanvas'>> {
    return this.transport.call('memoryCanvas', { query }, options)
  }

  /** An entity with its neighbors and the items that name it. */
  entity(id: string, { onBehalfOf, ...options }: ReadOptions = {}): Promise<Shape<'CanvasEntity'>> {
    const query = onBehalfOf === undefined ? {} : { onBehalfOf }
    return this.transport.call('memoryCanvasEntity', { path: { id }, query }, options)
  }
}

/** Administrator tasks. */
class Maintenance extends Resource {
  /** Deletes stored system messages of Slack. With `dryRun`, only counts them. */
  cleanUpSlackSystemEvents(
    job: { dryRun?: boolean } = {},
    options?: RequestOptions,
  ): Promise<Output<'cleanUpSlackSystemEvents'>> {
    return this.transport.call('cleanUpSlackSystemEvents', { body: job }, options)
  }

  /** Moves the organization to the configured embedding model, in the background. */
  startReembedding(options?: RequestOptions): Promise<Output<'startReembedding'>> {
    return this.transport.call('startReembedding', {}, options)
  }

  /** The progress of the move. */
  reembedding(options?: RequestOptions): Promise<Output<'getReembedding'>> {
    return this.transport.call('getReembedding', {}, options)
  }
}

function toRequest<Request extends { query: string }>(
  request: string | Request,
): Request | { query: string } {
  return typeof request === 'string' ? { query: request } : request
}
