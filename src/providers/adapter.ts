import { type Clock, MINUTE_MS } from '../kernel/clock.ts'
import type { ItemFailureCode } from '../kernel/failure-codes.ts'
import type { SourceKind } from '../kernel/source-kinds.ts'
import { SERVICE_FILE_LIMITS } from '../file-text/index.ts'
import type { SourceSettings } from './source-settings.ts'

export {
  isMissing,
  isRejected,
  ProviderError,
  type ProviderErrorKind,
  type Refusal,
  returnIf,
} from './provider-error.ts'

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue }
export type JsonObject = { [key: string]: JsonValue }

/** The result of an OAuth grant or a form, encrypted at rest. */
export interface Credentials {
  accessToken: string
  /** Null when the provider's tokens do not expire. Replaced on use when the provider rotates it. */
  refreshToken: string | null
  /** Null when the access token does not expire. */
  expiresAt: Date | null
  scopes: string[]
  /** Further data that the adapter needs with the credentials. */
  extra?: JsonObject
}

/** The account that an OAuth grant or the values of a form belong to. */
export interface ConnectedAccount {
  /** The account's id at the provider (Slack team, Notion workspace, Google account). */
  externalAccountId: string
  displayName: string
  credentials: Credentials
}

/** A channel in `GET /v1/sources/{id}/channels`. */
export interface ProviderChannel {
  id: string
  name: string
  isPrivate: boolean
  memberCount: number
}

/** Limits on an adapter's work for one source. Times in milliseconds, sizes in bytes. */
export interface ProviderLimits {
  /** Per HTTP request to the provider, including its answer. */
  requestTimeoutMs: number
  /** The total time one call may wait for rate limits. A longer wait ends the run, which resumes from its cursor. */
  maxRateLimitWaitMs: number
  /** Attempts per call during an outage, including the first. */
  maxAttempts: number
  /** The largest file to download, and the longest text to store per item. */
  maxDownloadBytes: number
  maxTextBytes: number
  /** Time and heap for extracting one file's text. */
  extractTimeoutMs: number
  extractMemoryMb: number
}

export const DEFAULT_PROVIDER_LIMITS: ProviderLimits = {
  requestTimeoutMs: 30_000,
  maxRateLimitWaitMs: 10 * MINUTE_MS,
  maxAttempts: 5,
  maxDownloadBytes: SERVICE_FILE_LIMITS.fileBytes,
  maxTextBytes: SERVICE_FILE_LIMITS.textBytes,
  extractTimeoutMs: SERVICE_FILE_LIMITS.timeoutMs,
  extractMemoryMb: SERVICE_FILE_LIMITS.memoryMb,
}

/** What the engine gives an adapter for one run of one source. Never stored. */
export interface ProviderSession {
  /**
   * A valid token, requested before each call; `refused` is one that the provider just called expired. @throws
   * ProviderError `auth`
   */
  accessToken(refused?: string): Promise<string>
  readonly account: { externalAccountId: string; displayName: string }
  /** `extra` of the stored credentials. */
  readonly extra: JsonObject
  /** Aborts when the run must stop (drain, lost lease); the adapter then throws the signal's reason. */
  readonly signal: AbortSignal
  readonly clock: Clock
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when the run must stop. */
  wait(ms: number): Promise<void>
  /** A number in [0, 1), for jitter. */
  random(): number
  readonly limits: ProviderLimits
  /** External ids of stored items, bytewise ascending, `from` <= id < `to` (null: unbounded), to find what is gone. */
  storedIds(range: { from: string; to: string | null; limit: number }): Promise<string[]>
}

/** An item's readers at its provider. `public`: anyone; `workspace`: see {@link PermissionsPage}. */
export interface AccessPolicy extends JsonObject {
  visibility: 'public' | 'workspace' | 'restricted' | 'private'
  users?: string[]
  groups?: string[]
  domains?: string[]
}

/** The fields that users filter by and answers cite. Every provider uses these names; adapters add their own. */
export interface ItemMetadata extends JsonObject {
  /** The name of the workspace, domain or account. */
  workspace?: string
  workspaceId?: string
  channel?: string
  channelId?: string
  /** The author: display name and address. */
  sender?: string
  senderEmail?: string
  /** Path of the folders or parent pages, outermost first, joined with ` / `. */
  folder?: string
  labels?: string[]
  threadId?: string
  permalink?: string
  mimeType?: string
  accessPolicy?: AccessPolicy
}

/** One thing to find and cite. */
export interface ProviderItem {
  /** Unique per provider within an organization. It includes the workspace's id when ids are not globally unique. */
  externalId: string
  sourceKind: SourceKind
  title: string
  /** Plain text or Markdown, at most `maxTextBytes`. */
  body: string
  url: string | null
  authorName: string | null
  sourceCreatedAt: Date | null
  sourceUpdatedAt: Date | null
  metadata: ItemMetadata
}

/** An item that could not be read or extracted. It counts as seen: a crawl does not remove it. */
export interface ItemFailure {
  externalId: string
  /** Its name, if known. */
  title?: string
  /** The provider's or extractor's own message. */
  message: string
  code?: ItemFailureCode
  /** Its current readers, which apply to what is stored; null: unknown, so nobody. Absent: they stay. */
  accessPolicy?: AccessPolicy | null
  /** The error when the service itself failed on the item; logged without its message. */
  fault?: unknown
}

/** A step of a run: deletions, then upserts and `cursor`, in one transaction. Applying it twice changes nothing. */
export interface ChangePage {
  upserts: ProviderItem[]
  /** External ids that were removed, trashed or hidden. They may include ids that were never stored. */
  deletions: string[]
  failures: ItemFailure[]
  /**
   * Items with nothing to read, such as pictures and files without text, with the reason. They do not count as
   * failed.
   */
  skipped?: ItemFailure[]
  /** Items the provider returned for this page, including filtered ones. */
  discovered: number
  /** How many of them are stored unchanged and need no reading. They are in no list. */
  unchanged?: number
  cursor: JsonValue
  /** True only on the last page of the run. */
  complete: boolean
  /** The full crawl's name, recorded on its items; its `complete` page removes those without it. Null: changes. */
  snapshot: string | null
}

export interface PushState {
  /** When the first event of the source arrived; null: none yet. */
  since: Date | null
  /** What to reread, oldest first: the adapter's own values from its webhook mapping. */
  hints: JsonValue[]
}

/** The current state of one stored item at its provider: an upsert, a deletion, or a failure that changes nothing. */
export type ItemRead = Pick<ChangePage, 'upserts' | 'deletions' | 'failures' | 'skipped'>

export interface ReadItemInput {
  externalId: string
  /** The position of the source's runs, which the read does not advance. */
  cursor: JsonValue | null
}

export interface ListChangesInput {
  /** The cursor of the last saved page; null requests everything (first run, full resync). */
  cursor: JsonValue | null
  settings: SourceSettings
  /** Only adapters with a webhook use it. The engine deletes the hints it passed once the run has succeeded. */
  push?: PushState
}

export interface GroupMembers {
  users: string[]
  /** Groups of the organization, by id. */
  groups: string[]
  domains: string[]
  /** Whether it includes everyone in the provider's workspace. */
  isWorkspace: boolean
}

/** One page of a source's permissions, without contents. Applying it twice changes nothing. */
export interface PermissionsPage {
  /** The addresses of everyone in the provider's workspace; absent when the provider has none or did not answer. */
  workspace?: string[]
  /** Groups, each with all its members. */
  groups: { id: string; members: GroupMembers }[]
  /** Stored items whose policy may have changed; null: the item has no known reader. */
  policies: { externalId: string; accessPolicy: AccessPolicy | null }[]
}

export interface ListPermissionsInput {
  /** The position of the source's runs; no run has read the changes after it. */
  cursor: JsonValue | null
  /** The source's groups that have members, as last read. */
  groupIds: ReadonlySet<string>
}

/** The result of a permissions poll. */
export interface PermissionsEnd {
  /** All groups of the source; the engine removes the members of others. Null: unknown, so all stay. */
  groupIds: string[] | null
  /** Whether something changed that only a run can read, so that one should start now. */
  needsRun: boolean
}

/** One provider: how an account is connected, and a feed of changes. Its only state is the rate-limit gates. */
export type ProviderAdapter = OAuthAdapter | FormAdapter

export const usesOAuth = (adapter: ProviderAdapter): adapter is OAuthAdapter => 'exchangeCode' in adapter

/** A provider whose accounts are connected by a form. Its credentials neither expire nor can be revoked here. */
export interface FormAdapter extends SourceReader {
  /**
   * Checks the values. The same account always has the same id. @throws AppError `validation_failed` and
   * ProviderError
   */
  connect(fields: FormFields, signal: AbortSignal): Promise<ConnectedAccount>
}

/** The values of a form by field name, as entered. */
export type FormFields = Readonly<Record<string, string>>

export type OAuthAdapter = OAuthHalf & SourceReader

/** How accounts are connected with OAuth. */
export interface OAuthHalf {
  /** The page to send the browser to. `codeChallenge` is S256 (RFC 7636); providers without PKCE ignore it. */
  authorizeUrl(input: { state: string; redirectUri: string; codeChallenge: string }): string
  /** @throws ProviderError `auth` when the provider refuses the code */
  exchangeCode(input: {
    code: string
    redirectUri: string
    codeVerifier: string
    signal: AbortSignal
  }): Promise<ConnectedAccount>
  /** Returns new credentials. @throws ProviderError `auth` when the grant is gone, `unavailable` to retry */
  refresh(credentials: Credentials, signal: AbortSignal): Promise<Credentials>
  /** Revokes the grant at the provider; succeeds when it is already gone. */
  revoke(credentials: Credentials, signal: AbortSignal): Promise<void>
}

/** How a provider's content is read. */
export interface SourceReader {
  /** The id of its provider. */
  readonly provider: string
  /** The channels that the account can list, by name (Slack). */
  listChannels?(session: ProviderSession): Promise<ProviderChannel[]>
  /** Pages of changes after `cursor`. @throws ProviderError; after `cursor_expired`, only a null cursor continues */
  listChanges(session: ProviderSession, input: ListChangesInput): AsyncIterable<ChangePage>
  /** One stored item, apart from runs, with those that share its requests. @throws ProviderError */
  readItem?(session: ProviderSession, input: ReadItemInput): Promise<ItemRead>
  /** The current readers, without contents or advancing the cursor. Absent when not reported. @throws ProviderError */
  listPermissions?(
    session: ProviderSession,
    input: ListPermissionsInput,
  ): AsyncGenerator<PermissionsPage, PermissionsEnd>
}
