import type { IncomingHttpHeaders } from 'node:http'
import { z } from 'zod'
import type { Clock } from '../kernel/clock.ts'
import type { SourceKind } from '../kernel/source-kinds.ts'
import type { TextExtractor } from '../file-text/index.ts'
import type { ConnectForm } from './form.ts'
import type { Credentials, ProviderAdapter } from './adapter.ts'

/** Environment variables as parsed by config; undefined when not set. */
export type ProviderEnvironment = Readonly<Record<string, string | undefined>>
/** Each environment variable with its schema. `.describe` holds its documentation. */
export type SettingsShape = Readonly<Record<string, z.ZodType<string | undefined>>>

/** Everything the service knows about one provider. Importing it is cheap: `createAdapter` loads the adapter. */
export type Provider<Id extends string = string> = ProviderFacts<Id> & (ByOAuth | ByForm)

interface ByOAuth {
  /** The two settings that enable the provider, unless it needs more. */
  readonly client: { readonly id: string; readonly secret: string }
  /** Further settings that enable it. */
  readonly needs?: readonly string[]
  readonly grants: GrantSharing
  readonly form?: undefined
}

/** A provider whose accounts are connected by values that a user enters, such as a token or an address. */
interface ByForm {
  readonly form: ConnectForm
  /** The settings that enable the provider; without any it is enabled when it is named. */
  readonly needs: readonly string[]
  readonly client?: undefined
  readonly grants?: undefined
}

interface ProviderFacts<Id extends string> {
  readonly id: Id
  readonly name: string
  /** What the provider's sources contain, in one sentence for users who choose what to connect. */
  readonly brings: string
  /** A simple drawing of your own, not a logo: an SVG path of lines in a square of 24 units. */
  readonly icon: string
  /** The icon's color, such as `#188038`, with a contrast of 3:1 on white. */
  readonly color: string
  /** Its environment variables. Providers of one family may share some. */
  readonly settings: SettingsShape
  /** Whether a workspace needs the operator's approval, unless GATED_PROVIDERS says otherwise. */
  readonly isGated: boolean
  /** Whether a source can be limited to some channels. */
  readonly hasChannels: boolean
  /** Whether imported files belong to this provider by default. */
  readonly isForFiles: boolean
  /** Whether `metadata.accessPolicy` names each item's readers. Otherwise the source's audience reads everything. */
  readonly reportsReaders: boolean
  /**
   * The shortest interval between scheduled syncs, and between permission polls, that the provider's terms allow.
   * Syncs that a person starts run immediately.
   */
  readonly pollMinutes?: number
  /** The audience of a new source; by default `connector`. */
  readonly audience?: 'everyone'
  /** Creates the adapter. @throws when a setting that enables the provider is not set; callers check that first */
  createAdapter(environment: ProviderEnvironment, deps: AdapterDependencies): Promise<ProviderAdapter>
  readonly webhook?: ProviderWebhook
  readonly cleanUps?: readonly CleanUpJob[]
  /** Computes `policyHealth` of a source after a run that may have changed it. */
  policyHealth?(counts: PolicyCounts): object
}

export interface AdapterDependencies {
  clock: Clock
  extractor: TextExtractor
}

/** Which other grants end together with a revoked grant. */
export interface GrantSharing {
  /** Providers of one family share an account's grants. */
  readonly family: string
  /** Whether revoking one grant also revokes the other grant of the same account. Defaults to true. */
  isShared?(one: Credentials, other: Credentials): boolean
}

/** Synced items of a source: all, and those without `metadata.accessPolicy`. */
export interface PolicyCounts {
  files: number
  filesWithoutPolicy: number
  /** Whether the last full crawl stored or saw all of these. */
  resyncedSince: boolean
}

export interface WebhookRequest {
  headers: IncomingHttpHeaders
  rawBody: Buffer
}

/** An event from a provider. `eventId` identifies duplicates; `hints` are the adapter's own values for the next run. */
export type WebhookEvent =
  | { kind: 'challenge'; challenge: string }
  | {
      kind: 'changed'
      accountId: string
      eventId: string
      hints: readonly unknown[]
      /** Permissions may have changed too. */
      changesPermissions?: boolean
    }
  /** Only permissions may have changed. */
  | { kind: 'permissions'; accountId: string; eventId: string }
  | { kind: 'disconnected'; accountId: string; eventId: string; reason: string }
  | { kind: 'ignored'; reason: string }

/** `POST /v1/webhooks/{provider}`: the route is public, so `read` must verify the sender. */
export interface ProviderWebhook {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  /** @throws AppError `not_configured`, `unauthenticated`, `malformed_json`, `validation_failed` */
  read(request: WebhookRequest, environment: ProviderEnvironment, now: Date): WebhookEvent
}

/** `POST /v1/maintenance/{provider}/{name}`: removes stored items that are not content. */
export interface CleanUpJob {
  readonly operationId: string
  /** The last path segment. With `_` for `-`, also part of the audit action. */
  readonly name: string
  readonly summary: string
  readonly description: string
  readonly sourceKind: SourceKind
  /** The job removes items with one of these in `metadata.subtype`, and short bodies that match. */
  readonly subtypes: readonly string[]
  readonly shortBody: string
}

export function enablingSettings(provider: Provider): readonly string[] {
  const { client, needs = [] } = provider
  return client === undefined ? needs : [client.id, client.secret, ...needs]
}

export function isEnabled(provider: Provider, environment: ProviderEnvironment): boolean {
  return enablingSettings(provider).every((name) => environment[name] !== undefined)
}

const NO_TRAITS = { isGated: false, hasChannels: false, isForFiles: false, reportsReaders: false }

/** A provider whose settings are typed by their schemas. It names the traits that it has. */
type ProviderDefinition<Id extends string, Shape extends SettingsShape> = Omit<
  ProviderFacts<Id>,
  keyof typeof NO_TRAITS | 'settings' | 'createAdapter' | 'webhook'
> &
  Partial<typeof NO_TRAITS> &
  (ByOAuth | ByForm) & {
    settings: Shape
    createAdapter(settings: z.output<z.ZodObject<Shape>>, deps: AdapterDependencies): Promise<ProviderAdapter>
    webhook?: Omit<ProviderWebhook, 'read'> & {
      read(request: WebhookRequest, settings: z.output<z.ZodObject<Shape>>, now: Date): WebhookEvent
    }
  }

export function defineProvider<const Id extends string, const Shape extends SettingsShape>(
  definition: ProviderDefinition<Id, Shape>,
): Provider<Id> {
  const { webhook, ...rest } = definition
  const parse = (environment: ProviderEnvironment) => z.object(definition.settings).parse(environment)
  return {
    ...NO_TRAITS,
    ...rest,
    createAdapter: (environment, deps) => definition.createAdapter(parse(environment), deps),
    ...(webhook && {
      webhook: {
        ...webhook,
        read: (request, environment, now) => webhook.read(request, parse(environment), now),
      },
    }),
  }
}
