import type { Clock } from '../kernel/clock.ts'
import { SERVICE_FILE_LIMITS } from '../file-text/index.ts'

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue }
export type JsonObject = { [key: string]: JsonValue }

/** What an OAuth grant gave. Encrypted at rest by whoever stores it. */
export interface Credentials {
  accessToken: string
  /** Null where the provider's tokens do not expire. Replaced on use where the provider rotates it. */
  refreshToken: string | null
  /** Null where the access token does not expire. */
  expiresAt: Date | null
  scopes: string[]
  /** Whatever else the adapter wants back with the credentials. */
  extra?: JsonObject
}

/** The account an OAuth grant belongs to. */
export interface ConnectedAccount {
  /** The account's id at the provider (Slack team, Notion workspace, Google account). */
  externalAccountId: string
  displayName: string
  credentials: Credentials
}

/** A channel as `GET /v1/sources/{id}/channels` shows it. */
export interface ProviderChannel {
  id: string
  name: string
  isPrivate: boolean
  memberCount: number
}

/** Bounds of the work an adapter does for one source. Times in milliseconds, sizes in bytes. */
export interface ProviderLimits {
  /** One HTTP request to the provider, answer included. */
  requestTimeoutMs: number
  /** How long one call may wait in total for the provider's rate limit; longer ends the run, to go on from its cursor. */
  maxRateLimitWaitMs: number
  /** Tries of one call that fails because the provider is down or does not answer, the first included. */
  maxAttempts: number
  /** The largest file that is downloaded, and the longest text that is kept of one item. */
  maxDownloadBytes: number
  maxTextBytes: number
  /** Time and heap of the extraction of one file's text. */
  extractTimeoutMs: number
  extractMemoryMb: number
}

export const DEFAULT_PROVIDER_LIMITS: ProviderLimits = {
  requestTimeoutMs: 30_000,
  maxRateLimitWaitMs: 10 * 60_000,
  maxAttempts: 5,
  maxDownloadBytes: SERVICE_FILE_LIMITS.fileBytes,
  maxTextBytes: SERVICE_FILE_LIMITS.textBytes,
  extractTimeoutMs: SERVICE_FILE_LIMITS.timeoutMs,
  extractMemoryMb: SERVICE_FILE_LIMITS.memoryMb,
}

/** What a run lends an adapter. Alive for one run of one source; never stored. */
export interface ProviderSession {
  /**
   * A token that is valid now. Asked for before each request, so that a run may outlive a token.
   * `refused` is a token the provider has just called expired: the answer is another one, made by a refresh
   * (clocks differ: a token may be dead before its time). Throws ProviderError `auth` when there is none.
   */
  accessToken(refused?: string): Promise<string>
  readonly account: { externalAccountId: string; displayName: string }
  readonly scopes: readonly string[]
  /** `extra` of the stored credentials. */
  readonly extra: JsonObject
  /** Aborts when the run has to stop (drain, lost lease); the adapter then throws the signal's reason. */
  readonly signal: AbortSignal
  readonly clock: Clock
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when the run has to stop. */
  wait(ms: number): Promise<void>
  /** A number in [0, 1), for jitter. */
  random(): number
  readonly limits: ProviderLimits
  /**
   * External ids of the items earlier pages of this source brought (pushed documents are left out), bytewise ascending
   * (`COLLATE "C"`), `from` <= id < `to` (null: no upper bound), at most `limit` of them. With it an adapter whose
   * provider has no delete feed finds what is gone.
   */
  storedIds(range: { from: string; to: string | null; limit: number }): Promise<string[]>
}

export type SourceKind = 'message' | 'document' | 'file'

/**
 * Who may read an item at its provider. `public`: anybody; `workspace`: the people of the provider's workspace, as
 * {@link PermissionsPage} lists them; `restricted`, `private`: those named. `groups` are ids of the source's own groups or of
 * groups of the organization, such as the address of a Google group.
 */
export interface AccessPolicy extends JsonObject {
  visibility: 'public' | 'workspace' | 'restricted' | 'private'
  users?: string[]
  groups?: string[]
  domains?: string[]
}

/**
 * The fields a person filters by and an answer cites, named the same for every provider. Adapters add their own beside
 * them; a field that has no value is left out.
 */
export interface ItemMetadata extends JsonObject {
  /** The workspace's, domain's or account's name. */
  workspace?: string
  workspaceId?: string
  channel?: string
  channelId?: string
  /** Who wrote it: display name and address. */
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

/** One thing a person would find and cite. */
export interface ProviderItem {
  /** Unique for the provider within an organization: holds the workspace's id where ids are not unique in the world. */
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

/** An item that could not be read or extracted. It counts as seen: a crawl does not remove what it failed to read. */
export interface ItemFailure {
  externalId: string
  /** The provider's or extractor's own words. */
  message: string
  /** What was thrown where the service itself failed on the item: for the log, without its message. */
  fault?: unknown
}

/**
 * A step of a run. The engine applies deletions, then upserts, and saves `cursor`, all in one transaction; a run that died
 * goes on from the saved cursor. Applying a page twice changes nothing.
 */
export interface ChangePage {
  upserts: ProviderItem[]
  /** External ids removed, trashed or no longer visible. Ids that were never stored are fine. */
  deletions: string[]
  failures: ItemFailure[]
  /** Items the provider returned for this page, those filtered out included. */
  discovered: number
  cursor: JsonValue
  /** True on the last page of the run, and only there. */
  complete: boolean
  /**
   * Name of the full crawl this page is part of (the same across resumed runs), or null for a page of changes. The engine
   * notes it on each item the page upserts or fails; when a page is `complete` and has one, the source's synced items that
   * do not carry it are removed (pushed documents are not).
   */
  snapshot: string | null
}

/** What the provider's webhook has announced for a source. */
export interface PushState {
  /** When the first event of the source arrived that the service has had since; null: none yet. */
  since: Date | null
  /** What has to be looked at again: the adapter's own values, as its webhook mapping gave them, oldest first. */
  hints: JsonValue[]
}

export interface ListChangesInput {
  /** Of the last saved page; null asks for everything (first run, full resync). */
  cursor: JsonValue | null
  settings: { channelAllowlist: string[] | null }
  /** Only providers with a webhook look at it. The engine drops the hints it gave once the run has succeeded. */
  push?: PushState
}

/** Who belongs to a group of a source. */
export interface GroupMembers {
  users: string[]
  /** Groups of the organization, by their id. */
  groups: string[]
  domains: string[]
  /** Everybody of the provider's workspace. */
  isWorkspace: boolean
}

/** A part of what a source says of its readers, apart from contents. Applying it twice changes nothing. */
export interface PermissionsPage {
  /** The addresses of everybody in the provider's workspace; left out where the provider has none or did not say. */
  workspace?: string[]
  /** Groups, each with all its members. */
  groups: { id: string; members: GroupMembers }[]
  /** Stored items whose policy may have changed; null: nobody may read the item any more, as far as is known. */
  policies: { externalId: string; accessPolicy: AccessPolicy | null }[]
}

export interface ListPermissionsInput {
  /** Where the source's runs stand: what is after it has not been read by a run. */
  cursor: JsonValue | null
  /** The groups of the source that have members, as they were last read. */
  groupIds: ReadonlySet<string>
}

/** What reading the permissions came to. */
export interface PermissionsEnd {
  /** All groups of the source: the members of others are removed. Null: not known now, so all stay. */
  groupIds: string[] | null
  /** Something changed that only a run can read: it should begin now. */
  needsRun: boolean
}

/** One provider: OAuth and a feed of changes. Has no state of its own but rate-limit gates, one per account. */
export interface ProviderAdapter {
  /** The id of its descriptor. */
  readonly provider: string
  readonly usesPkce: boolean
  /** The page to send the browser to. `codeChallenge` is S256 (RFC 7636), ignored where the provider has no PKCE. */
  authorizeUrl(input: { state: string; redirectUri: string; codeChallenge: string }): string
  /** Throws ProviderError `auth` when the code is refused. */
  exchangeCode(input: {
    code: string
    redirectUri: string
    codeVerifier: string
    signal: AbortSignal
  }): Promise<ConnectedAccount>
  /** New credentials; throws ProviderError `auth` when the grant is gone (final) and `unavailable` when it may be tried again. */
  refresh(credentials: Credentials, signal: AbortSignal): Promise<Credentials>
  /** Ends the grant at the provider. A grant that is already gone is no error. */
  revoke(credentials: Credentials, signal: AbortSignal): Promise<void>
  /** Channels the account can list, by name (Slack). */
  listChannels?(session: ProviderSession): Promise<ProviderChannel[]>
  /**
   * Pages of what changed after `cursor`. Throws ProviderError; `cursor_expired` means that only a run with a null cursor
   * can go on.
   */
  listChanges(session: ProviderSession, input: ListChangesInput): AsyncIterable<ChangePage>
  /**
   * Who may read what, as it is now, without contents: what changed since the runs' cursor, and all groups. It moves no cursor.
   * Left out where the provider does not tell who may read an item. Throws ProviderError.
   */
  listPermissions?(
    session: ProviderSession,
    input: ListPermissionsInput,
  ): AsyncGenerator<PermissionsPage, PermissionsEnd>
}

/**
 * What became of a call: `auth` the grant is expired or revoked, `rate_limited` try after `retryAfterMs`, `unavailable` the
 * provider is down or did not answer, `rejected` the request itself was refused, `cursor_expired` a full resync is needed.
 */
export type ProviderErrorKind = 'auth' | 'rate_limited' | 'unavailable' | 'rejected' | 'cursor_expired'

/** A provider's failure. `message` is the provider's own words, verbatim, and may be shown. */
export class ProviderError extends Error {
  readonly kind: ProviderErrorKind
  readonly retryAfterMs: number | null
  /** The provider's error code or HTTP status, for decisions in the adapter. */
  readonly code: string | null

  constructor(
    kind: ProviderErrorKind,
    message: string,
    options: { retryAfterMs?: number; code?: string; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'ProviderError'
    this.kind = kind
    this.retryAfterMs = options.retryAfterMs ?? null
    this.code = options.code ?? null
  }
}
