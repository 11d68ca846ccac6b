import type { IncomingHttpHeaders } from 'node:http'
import { z } from 'zod'
import type { Clock } from '../kernel/clock.ts'
import type { TextExtractor } from '../file-text/index.ts'
import type { Credentials, ProviderAdapter, SourceKind } from './provider.ts'

/** Environment variables as config has parsed them: each is text, or not set. */
export type ProviderEnvironment = Readonly<Record<string, string | undefined>>
/** Each environment variable with its form, and its meaning as `.describe` says it. */
export type SettingsShape = Readonly<Record<string, z.ZodType<string | undefined>>>

/** A sign by what it shows. */
export type ProviderIcon = 'drive' | 'hash' | 'mail' | 'page'

/**
 * All that the service knows of one provider. Everything else asks the catalogue, so that a provider is one folder. It is
 * light: what loads the provider's SDK is behind `createAdapter`.
 */
export interface Provider<Id extends string = string> {
  readonly id: Id
  /** What people call it. */
  readonly name: string
  /** What its sources bring, in one sentence for people who choose what to connect. */
  readonly brings: string
  /** The sign that the console shows. */
  readonly icon: ProviderIcon
  /** Its environment variables; providers of one family may have theirs in common. */
  readonly settings: SettingsShape
  /** The two settings with which it is offered. */
  readonly client: { readonly id: string; readonly secret: string }
  /** Whether a workspace needs the operator's leave, where GATED_PROVIDERS does not say otherwise. */
  readonly isGated: boolean
  /** Whether a source of it can be limited to some of its channels. */
  readonly hasChannels: boolean
  /** Whether files that a person imports are listed under it, unless they choose another provider. */
  readonly isForFiles: boolean
  /**
   * Whether it says in `metadata.accessPolicy` who may read each item. Otherwise the people of the source
   * (`source:<id>`), its audience, may read everything that its runs bring.
   */
  readonly tellsReaders: boolean
  readonly grants: GrantSharing
  /** Its adapter. @throws when {@link Provider.client} is not set, which is asked before */
  createAdapter(environment: ProviderEnvironment, deps: AdapterDependencies): Promise<ProviderAdapter>
  readonly webhook?: ProviderWebhook
  readonly cleanUps?: readonly CleanUpJob[]
  /** What `policyHealth` of its sources says, computed after a run that may have changed it. */
  policyHealth?(counts: PolicyCounts): object
}

export interface AdapterDependencies {
  clock: Clock
  extractor: TextExtractor
}

/** What ending a grant at the provider ends with it. */
export interface GrantSharing {
  /** Providers of the same family share the grants of an account. */
  readonly family: string
  /** Whether ending the one ends the other, of the same account; always, when left out. */
  isShared?(one: Credentials, other: Credentials): boolean
}

/** Synced items of a source: all, and those without `metadata.accessPolicy`. */
export interface PolicyCounts {
  files: number
  filesWithoutPolicy: number
  /** All of these were stored or seen again by the last full crawl. */
  resyncedSince: boolean
}

export interface WebhookRequest {
  headers: IncomingHttpHeaders
  rawBody: Buffer
}

/** What a provider announces. `eventId` tells repeats apart; `hints` are the adapter's own values, for the next run. */
export type WebhookEvent =
  | { kind: 'challenge'; challenge: string }
  | {
      kind: 'changed'
      accountId: string
      eventId: string
      hints: readonly unknown[]
      /** Who may read something may have changed too. */
      changesPermissions?: boolean
    }
  /** Nothing but who may read something may have changed. */
  | { kind: 'permissions'; accountId: string; eventId: string }
  | { kind: 'disconnected'; accountId: string; eventId: string; reason: string }
  | { kind: 'ignored'; reason: string }

/** `POST /v1/webhooks/{provider}`: public, so `read` has to prove who sent it. */
export interface ProviderWebhook {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  /** @throws AppError `not_configured`, `unauthenticated`, `malformed_json`, `validation_failed` */
  read(request: WebhookRequest, environment: ProviderEnvironment, now: Date): WebhookEvent
}

/** `POST /v1/maintenance/{provider}/{name}`: removes stored items that are no content. */
export interface CleanUpJob {
  readonly operationId: string
  /** Its last part of the path, and with `_` for `-` of the audit action. */
  readonly name: string
  readonly summary: string
  readonly description: string
  readonly sourceKind: SourceKind
  /** What goes: items with one of these in `metadata.subtype`, and short bodies that match (a POSIX regular expression). */
  readonly subtypes: readonly string[]
  readonly shortBody: string
}

/** A provider with its settings as parsed by its own shape. */
type ProviderDefinition<Id extends string, Shape extends SettingsShape> = Omit<
  Provider<Id>,
  'settings' | 'createAdapter' | 'webhook'
> & {
  settings: Shape
  createAdapter(settings: z.output<z.ZodObject<Shape>>, deps: AdapterDependencies): Promise<ProviderAdapter>
  webhook?: Omit<ProviderWebhook, 'read'> & {
    read(request: WebhookRequest, settings: z.output<z.ZodObject<Shape>>, now: Date): WebhookEvent
  }
}

/** Declares a provider, its settings typed by their shape. */
export function defineProvider<const Id extends string, const Shape extends SettingsShape>(
  definition: ProviderDefinition<Id, Shape>,
): Provider<Id> {
  const { webhook, ...rest } = definition
  const parse = (environment: ProviderEnvironment) => z.object(definition.settings).parse(environment)
  return {
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
