/** The client of the Retrieval Memory Service. */
export { PROVIDERS } from './api.ts'
export type { AskEvent, AskStep } from './ask-stream.ts'
export {
  type ConnectionFault,
  type ErrorCode,
  type Issue,
  MemoryConnectionError,
  MemoryError,
  type MemoryErrorCode,
} from './errors.ts'
export { IngestError, type IngestOptions, type IngestProgress } from './ingest.ts'
export type { IngestDocument, IngestLimits } from './ingest-batches.ts'
export {
  type AskRequest,
  type CanvasQuery,
  type ExportRequest,
  type ListedSourceItem,
  Memory,
  type MemoryOptions,
  type NewApiKey,
  type SearchRequest,
  type SourceItemKey,
  type SourceItemPage,
  type SourceItemQuery,
  type SyncRunQuery,
} from './memory.ts'
export type { Shape } from './operations.ts'
export { isPushOnly } from './push-only.ts'
export type { RetryPolicy } from './retries.ts'
export { readEvents, type ServerSentEvent } from './server-sent-events.ts'
export type { RawAnswer, RawRequest, RequestOptions } from './transport.ts'
