import { z } from 'zod'
import { ocrSetting } from './file-text/index.ts'
import { EMBEDDING_PROVIDERS } from './inference/embedding-model.ts'
import { StartupError } from './kernel/errors.ts'
import { DIMENSIONS_MAX } from './kernel/limits.ts'
import {
  catalogSettings,
  isEnabled,
  namedProvidersSetting,
  PROVIDERS,
  type ProviderEnvironment,
  providerList,
  providers,
  providerSettings,
} from './providers/index.ts'
import { findIssues } from './kernel/validate.ts'
import {
  encryptionKeys,
  isBaseUrl,
  isSmtpUrl,
  pairList,
  port,
  positive,
  secret,
  url,
} from './setting-formats.ts'
import { PROTOCOLS, SAMPLERS } from './tracing/index.ts'

const gatedByDefault = providers.flatMap(({ id, isGated }) => (isGated ? [id] : []))

/** About 15 million chunks of the built-in model. The fields of their items are outside, in Node's heap. */
const SEARCH_MEMORY_MB_MAX = 16_000

const serviceSchema = z.object({
  HOST: z.string().min(1).default('127.0.0.1').describe('Address to listen on'),
  PORT: port.default(8787).describe('Port of the one HTTP server: API, console, webhooks'),
  PUBLIC_URL: url
    .refine(isBaseUrl, 'must be a base URL, without a user, query or fragment')
    .optional()
    .describe('Base URL in links, redirects and the OpenAPI document. Default: built from host and port'),
  DATA_DIR: z
    .string()
    .min(1)
    .default('./data')
    .describe('Folder of the embedded database and everything else the service stores on disk'),
  DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/, error: 'must be a URL that begins with postgres://' })
    .optional()
    .describe('PostgreSQL 16+ with pgvector 0.8+; embedded when not set'),
  BOOTSTRAP_ADMIN_KEY: z
    .string()
    .regex(/^svc_[\w-]{32,}$/, 'must be svc_ followed by at least 32 letters, digits, - or _')
    .optional()
    .describe(
      'Admin key of the local workspace. When not set, the first start creates a key and prints it once',
    ),
  OPERATOR_TOKEN: z
    .string()
    .min(32)
    .optional()
    .describe(
      'Bearer token for the operator routes, which return 404 without it. With the embedded database, the first start creates one in DATA_DIR',
    ),
  API_RATE_LIMIT_PER_MIN: positive.default(60).describe('Requests per minute for each key and action'),
  OIDC_ISSUER: url
    .optional()
    .describe(
      'OpenID Connect issuer of console tokens. When not set, a built-in development issuer signs people in on loopback; elsewhere nobody can sign in',
    ),
  OIDC_AUDIENCE: z.string().min(1).optional().describe('Audience that console tokens must carry'),
  OIDC_CLIENT_ID: z.string().min(1).optional().describe("The console's client ID at OIDC_ISSUER"),
  OIDC_CLIENT_SECRET: secret
    .optional()
    .describe(
      "The console's client secret, for issuers without public clients, such as Google. It never leaves the service",
    ),
  OIDC_SCOPES: z
    .string()
    .min(1)
    .default('openid profile email offline_access')
    .describe('Scopes the console requests, separated by spaces'),
  OIDC_RESOURCE: z
    .string()
    .min(1)
    .optional()
    .describe('Resource the console requests tokens for, at issuers that require one'),
  EMBEDDING_PROVIDER: z.enum(EMBEDDING_PROVIDERS).default('builtin').describe('Source of embeddings'),
  EMBEDDING_BASE_URL: url.optional().describe('Base URL of the embedding server, including its version path'),
  EMBEDDING_API_KEY: secret.optional().describe('API key of the embedding server'),
  EMBEDDING_MODEL: z.string().min(1).optional().describe('Model name, or the folder of a local ONNX model'),
  EMBEDDING_DIMENSIONS: positive.max(DIMENSIONS_MAX).optional().describe('Dimensions to request'),
  LLM_PROVIDER: z
    .enum(['openai', 'anthropic', 'google'])
    .optional()
    .describe(
      'API of the language model that writes answers. When not set, answers quote sentences from the passages',
    ),
  LLM_BASE_URL: url.optional().describe('Base URL of the language model server, including its version path'),
  LLM_API_KEY: secret.optional().describe('API key of the language model server'),
  LLM_MODEL: z.string().min(1).optional().describe('Model name'),
  ANSWER_TIMEOUT_MS: positive
    .max(50_000)
    .default(20_000)
    .describe("Maximum time for the language model's whole answer, in milliseconds"),
  ENCRYPTION_KEY: encryptionKeys
    .optional()
    .describe(
      "Encrypts OAuth tokens, webhook secrets and the embedding server's API key at rest: 32 bytes in base64. In a comma-separated list, the first key encrypts and all keys decrypt. The embedded database creates one in DATA_DIR; with DATABASE_URL, connectors and webhooks need it",
    ),
  STRIPE_SECRET_KEY: secret
    .optional()
    .describe(
      "Stripe's secret key. With STRIPE_WEBHOOK_SECRET, workspaces can buy plans; without them, the operator sets plans",
    ),
  STRIPE_WEBHOOK_SECRET: secret.optional().describe("Signing secret of Stripe's webhook endpoint"),
  STRIPE_API_URL: url
    .refine((value) => new URL(value).pathname === '/', 'must be a host without a path')
    .optional()
    .describe('Replaces https://api.stripe.com, for tests and gateways; without a path'),
  STRIPE_AUTOMATIC_TAX: z
    .enum(['true', 'false'])
    .default('false')
    .transform((value) => value === 'true')
    .describe('Whether Stripe computes taxes at checkout. Stripe refuses until Stripe Tax is set up'),
  WEBHOOK_ALLOW_PRIVATE_ADDRESSES: z
    .enum(['true', 'false'])
    .default('false')
    .transform((value) => value === 'true')
    .describe('Whether webhooks may use private addresses and plain http'),
  SMTP_URL: z
    .string()
    .refine(isSmtpUrl, 'must be smtp://host:port or smtps://host:port, with a user and password if required')
    .optional()
    .describe('Mail server that sends invitations. When not set, the console only shows their links'),
  MAIL_FROM: z
    .string()
    .max(320)
    .regex(
      /^(?:[^<>",;:@\p{Cc}]+ <[^\s<>@,]+@[^\s<>@,]+>|[^\s<>@,]+@[^\s<>@,]+)$/u,
      'must be an address, or a name and an address as in Memory <memory@example.com>',
    )
    .optional()
    .describe('Sender of mails: an address, or `Name <address>`'),
  SEARCH_MEMORY_MB: z.coerce
    .number()
    .int()
    .min(0)
    .max(SEARCH_MEMORY_MB_MAX)
    .optional()
    .describe(
      'Memory for vector snapshots, in MB. With 0, the database does every search. Default: a quarter of the machine, at most 1024',
    ),
  OCR: ocrSetting.describe(
    'Languages of scanned pages and images, the most frequent first: `eng`, `deu`, `fra`, `spa`, separated by commas. With `off`, neither is read',
  ),
  SYNC_INTERVAL_MINUTES: positive.default(15).describe('How often each source is polled'),
  ROLE: z.enum(['api', 'worker', 'all']).default('all').describe('What this process does'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace'])
    .default('info')
    .describe('Lowest level that is logged'),
  OTEL_EXPORTER_OTLP_ENDPOINT: url
    .optional()
    .describe(
      'Base URL of an OpenTelemetry receiver (OTLP/HTTP). When not set, no traces or metrics are sent',
    ),
  OTEL_EXPORTER_OTLP_PROTOCOL: z
    .enum(PROTOCOLS)
    .default('http/json')
    .describe('Encoding of traces and metrics'),
  OTEL_EXPORTER_OTLP_HEADERS: pairList(/^[\w-]+$/)
    .optional()
    .describe('Headers of each export, as `name=value,name=value`'),
  OTEL_SERVICE_NAME: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Service name in traces and metrics. Default: `service.name` of OTEL_RESOURCE_ATTRIBUTES, else `retrieval-memory-service`',
    ),
  OTEL_RESOURCE_ATTRIBUTES: pairList(/^[\w.-]+$/)
    .optional()
    .describe('Attributes of every trace and metric, as `name=value,name=value`'),
  OTEL_TRACES_SAMPLER: z
    .enum(SAMPLERS)
    .default('parentbased_always_on')
    .describe('Which requests are traced'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe('Share of requests that the `…traceidratio` samplers trace, from 0 to 1'),
  PROVIDERS: namedProvidersSetting.describe(
    'Providers of this deployment. The API, the console and the clients offer no others',
  ),
  GATED_PROVIDERS: providerList(PROVIDERS)
    .default(gatedByDefault)
    .describe("Providers that each workspace may connect only with the operator's permission"),
})

/** One environment variable per setting. docs/reference/settings.md has the same table; a test compares them. */
export const settingsSchema = z.object({ ...serviceSchema.shape, ...catalogSettings })

/** The service's settings; `providers` holds the providers' own, which only their folders define. */
export type Settings = z.output<typeof serviceSchema> & {
  providers: ProviderEnvironment
  /** Whether EMBEDDING_PROVIDER was set; a model chosen in the console is then ignored. */
  namesEmbeddingModel: boolean
}

/** The environment without empty variables. */
type Given = Readonly<Record<string, string>>

/** The settings that miss another one. It reads what is given, so that a malformed setting hides none of them. */
function crossFaults(given: Given): string[] {
  const faults: string[] = []
  if (given.EMBEDDING_PROVIDER === 'openai' && !given.EMBEDDING_API_KEY && !given.EMBEDDING_BASE_URL) {
    faults.push(
      'EMBEDDING_API_KEY is required with EMBEDDING_PROVIDER=openai, unless EMBEDDING_BASE_URL names a server without keys',
    )
  }
  if (given.LLM_PROVIDER && !given.LLM_API_KEY && !given.LLM_BASE_URL) {
    faults.push(
      `LLM_API_KEY is required with LLM_PROVIDER=${given.LLM_PROVIDER}, unless LLM_BASE_URL names a server without keys`,
    )
  }
  if (given.OIDC_ISSUER && !given.OIDC_AUDIENCE)
    faults.push('OIDC_AUDIENCE is required with OIDC_ISSUER, or any token of that issuer would be accepted')
  if (given.OIDC_CLIENT_SECRET && !(given.OIDC_ISSUER && given.OIDC_CLIENT_ID))
    faults.push('OIDC_ISSUER and OIDC_CLIENT_ID are required with OIDC_CLIENT_SECRET')
  return [...faults, ...connectorFaults(given), ...paymentFaults(given), ...mailFaults(given)]
}

function paymentFaults(given: Given): string[] {
  const first = ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET', 'STRIPE_API_URL'].find((name) => given[name])
  if (first === undefined) return []
  return ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET']
    .filter((name) => !given[name])
    .map((name) => `${name} is required with ${first}`)
}

function mailFaults({ SMTP_URL: server, MAIL_FROM: from }: Given): string[] {
  if ((server === undefined) === (from === undefined)) return []
  return [
    server === undefined ? 'SMTP_URL is required with MAIL_FROM' : 'MAIL_FROM is required with SMTP_URL',
  ]
}

function connectorFaults(given: Given): string[] {
  const faults: string[] = []
  const clients = new Map(providers.flatMap(({ client }) => (client ? [[client.id, client.secret]] : [])))
  for (const [id, secretOfClient] of clients) {
    const [hasId, hasSecret] = [id, secretOfClient].map((name) => given[name] !== undefined)
    if (hasId && !hasSecret) faults.push(`${secretOfClient} is required with ${id}`)
    if (!hasId && hasSecret) faults.push(`${id} is required with ${secretOfClient}`)
  }
  const isAnyEnabled = providers.some((provider) => isEnabled(provider, given))
  if (isAnyEnabled && given.DATABASE_URL !== undefined && !given.ENCRYPTION_KEY)
    faults.push('ENCRYPTION_KEY is required with DATABASE_URL once a connector is configured')
  return faults
}

/** Reads the settings. An empty variable counts as unset. @throws StartupError that lists every fault at once */
export function readSettings(environment: Readonly<Record<string, string | undefined>>): Settings {
  const given: Given = Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => Boolean(entry[1])),
  )
  const service = findIssues(serviceSchema, given, 'settings')
  const ofProviders = findIssues(z.object(providerSettings), given, 'settings')
  const faults = [service, ofProviders].flatMap((found) =>
    'data' in found ? [] : found.issues.map(({ message }) => message),
  )
  faults.push(...crossFaults(given))
  if ('data' in service && 'data' in ofProviders && faults.length === 0) {
    const namesEmbeddingModel = given.EMBEDDING_PROVIDER !== undefined
    return { ...service.data, providers: ofProviders.data, namesEmbeddingModel }
  }
  throw new StartupError(`The settings are not valid:\n${faults.map((fault) => `  ${fault}`).join('\n')}`)
}
