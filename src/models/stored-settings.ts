/** Stores the settings of models with vectors, so that they keep answering. Without an encryption key, not API keys. */
import { sql } from 'kysely'
import { z } from 'zod'
import type { Db } from '../database/database.ts'
import { reencryptColumn } from '../database/reencrypt-column.ts'
import { type EmbeddingModel, EMBEDDING_PROVIDERS } from '../inference/embedding-model.ts'
import type { EmbeddingModelSettings } from '../inference/embedding-models/create-embedding-model.ts'
import { AppError } from '../kernel/errors.ts'
import type { Logger } from '../kernel/logger.ts'
import type { SecretCipher } from '../kernel/secret-cipher.ts'
import { ensureStoredModel } from './organization-models.ts'
import { messageOf } from '../kernel/thrown-errors.ts'

export interface StoredModelSettingsOptions {
  db: Db
  configured: EmbeddingModel
  /** The settings of the configured model. */
  present: EmbeddingModelSettings
  /** Called only if there is a secret; null: this deployment has no encryption key. */
  cipher: () => Promise<SecretCipher | null>
  create: (settings: EmbeddingModelSettings) => Promise<EmbeddingModel>
}

/** The settings of models with vectors, which outlive the deployment's settings. */
export interface StoredModelSettings {
  /** Creates a model from its stored settings, without a request to its server; null: none stored. @throws AppError */
  load(name: string): Promise<EmbeddingModel | null>
  /** Deletes the settings of models without vectors, except the configured one. */
  dropUnused(): Promise<void>
}

/** Stores the configured model's settings, and re-encrypts values of older keys. */
export async function openStoredModelSettings({
  logger,
  ...options
}: StoredModelSettingsOptions & { logger: Pick<Logger, 'error'> }): Promise<StoredModelSettings> {
  const { db, create, configured } = options
  const dropUnused = (): Promise<void> => dropUnusedExcept(db, configured.id)
  await store(options)
  await dropUnused()
  await reencrypt(options).catch((err: unknown) =>
    logger.error({ err }, 'the API key of a former embedding model cannot be read'),
  )
  return {
    async load(name) {
      const former = await find(options, name)
      if (former === null) return null
      try {
        return await create(former)
      } catch (error) {
        throw cannotBeLoaded(name, configured.id, error)
      }
    },
    dropUnused,
  }
}

const Stored = z.object({
  provider: z.enum(EMBEDDING_PROVIDERS),
  baseUrl: z.string().nullable(),
  model: z.string().nullable(),
  dimensions: z.number().nullable(),
  hasApiKey: z.boolean(),
})

const contextOf = (name: string): string => `embedding_models:${name}`

async function store({ db, cipher, configured, present }: StoredModelSettingsOptions): Promise<void> {
  const { provider, baseUrl, model, dimensions, apiKey } = present
  // The built-in model is always available and needs no settings.
  if (provider === 'builtin') return
  const { id, name } = await ensureStoredModel(db, configured)
  const settings: z.input<typeof Stored> = {
    provider,
    baseUrl: baseUrl ?? null,
    model: model ?? null,
    dimensions: dimensions ?? null,
    hasApiKey: apiKey !== undefined,
  }
  const ciphertext =
    apiKey === undefined ? null : ((await cipher())?.encrypt(apiKey, contextOf(name)) ?? null)
  await db
    .updateTable('embedding_models')
    .set({ settings: JSON.stringify(settings), ciphertext })
    .where('id', '=', id)
    .execute()
}

/** The settings of a stored model; null: none. @throws AppError `embedding_model_mismatch` without its API key */
async function find(
  options: StoredModelSettingsOptions,
  name: string,
): Promise<EmbeddingModelSettings | null> {
  const { db, present } = options
  const row = await db
    .selectFrom('embedding_models')
    .select(['dimensions', 'settings', 'ciphertext'])
    .where('name', '=', name)
    .executeTakeFirst()
  if (!row?.settings) return null
  const { provider, baseUrl, model, dimensions, hasApiKey } = Stored.parse(row.settings)
  const former = {
    provider,
    baseUrl: baseUrl ?? undefined,
    model: model ?? undefined,
    dimensions: dimensions ?? undefined,
    knownDimensions: row.dimensions,
  }
  // The same server's present key is newer than the stored one.
  if (isSameServer(former, present) && present.apiKey !== undefined)
    return { ...former, apiKey: present.apiKey }
  if (!hasApiKey) return former
  if (row.ciphertext === null)
    throw noKey(name, 'was not stored, because there was no ENCRYPTION_KEY: restore its settings and set one')
  return { ...former, apiKey: await openKey(options, name, row.ciphertext) }
}

async function openKey(
  { cipher }: StoredModelSettingsOptions,
  name: string,
  ciphertext: Uint8Array,
): Promise<string> {
  const keys = await cipher()
  if (keys === null)
    throw noKey(name, 'is encrypted, and there is no ENCRYPTION_KEY: set the one it was encrypted with')
  try {
    return keys.decrypt(ciphertext, contextOf(name))
  } catch (cause) {
    throw noKey(name, 'cannot be decrypted with ENCRYPTION_KEY: add the key it was encrypted with', cause)
  }
}

async function dropUnusedExcept(db: Db, configuredName: string): Promise<void> {
  // A separate statement: in a cluster every server has the models, but none has all organizations' moves.
  const moving = await db
    .selectFrom('reembeddings')
    .select('embedding_model_id')
    .distinct()
    .where('status', '=', 'running')
    .execute()
  const targets = moving.map((row) => row.embedding_model_id)
  await sql`
    update embedding_models m set settings = null, ciphertext = null
    where m.name <> ${configuredName} and m.settings is not null
      and not exists (select from organizations o where o.embedding_model_id = m.id)
      and m.id <> all (${targets}::smallint[])`.execute(db)
}

/** Re-encrypts keys that an older key encrypted. @throws at the end, with the names of undecryptable ones */
async function reencrypt({ db, cipher }: StoredModelSettingsOptions): Promise<void> {
  const { unreadable } = await reencryptColumn(db, cipher, {
    table: 'embedding_models',
    column: 'ciphertext',
    key: ['name'],
    contextOf,
  })
  if (unreadable.length === 0) return
  throw new Error(
    `ENCRYPTION_KEY: the API keys kept for these embedding models cannot be decrypted with it: ${unreadable.join(', ')}; ` +
      'add the key they were encrypted with to the list until the vectors have been moved',
  )
}

/** Whether both settings use the same server, and so the same key. */
function isSameServer(a: EmbeddingModelSettings, b: EmbeddingModelSettings): boolean {
  return a.provider === 'openai' && b.provider === 'openai' && originOf(a) === originOf(b)
}

/** No base URL means the provider's own server. */
function originOf({ baseUrl }: EmbeddingModelSettings): string {
  return baseUrl === undefined ? '' : new URL(baseUrl).origin
}

function noKey(name: string, why: string, cause?: unknown): AppError {
  return new AppError(
    'embedding_model_mismatch',
    `The stored vectors belong to the embedding model "${name}", whose API key ${why}, or move to the current model with ` +
      'POST /v1/maintenance/reembed',
    { details: { storedModel: name }, ...(cause === undefined ? {} : { cause }) },
  )
}

function cannotBeLoaded(name: string, configuredName: string, cause: unknown): AppError {
  const reason = messageOf(cause)
  return new AppError(
    'embedding_model_mismatch',
    `The stored vectors belong to the embedding model "${name}", which can no longer be loaded (${reason}); restore what it ` +
      `needs, or move to "${configuredName}" with POST /v1/maintenance/reembed`,
    { details: { storedModel: name, configuredModel: configuredName }, cause },
  )
}
