/** Stores the settings of models with vectors, so that they keep answering. Without an encryption key, not API keys. */
import { sql } from 'kysely'
import { z } from 'zod'
import type { Db } from '../database/database.ts'
import { type EmbeddingModel, EMBEDDING_PROVIDERS } from '../inference/embedding-model.ts'
import type { EmbeddingModelSettings } from '../inference/embedding-models/create-embedding-model.ts'
import { AppError } from '../kernel/errors.ts'
import { ensureStoredModel } from './organization-models.ts'

/** Encrypts and decrypts secrets; a context binds each to its place. */
export interface SecretCipher {
  encrypt(text: string, context: string): Buffer
  /** @throws if no key fits */
  decrypt(ciphertext: Uint8Array, context: string): string
  /** Encrypts the secret with the first key; null: it already is. @throws if no key fits */
  reencrypt(ciphertext: Uint8Array, context: string): Buffer | null
}

export interface KeptSettingsOptions {
  db: Db
  present: () => EmbeddingModelSettings
  /** Called only if there is a secret; null: this deployment has no encryption key. */
  cipher: () => Promise<SecretCipher | null>
}

export interface KeptSettings {
  keep(model: EmbeddingModel, settings: EmbeddingModelSettings): Promise<void>
  /** The settings of a stored model; null: none. @throws AppError `embedding_model_mismatch` without its API key */
  find(name: string): Promise<EmbeddingModelSettings | null>
  /** Deletes the settings of models without vectors, except one. */
  dropUnused(configuredName: string): Promise<void>
  /** Re-encrypts keys that an older key encrypted. @throws at the end, with the number of undecryptable ones */
  reencrypt(): Promise<void>
}

const Stored = z.object({
  provider: z.enum(EMBEDDING_PROVIDERS),
  baseUrl: z.string().nullable(),
  model: z.string().nullable(),
  dimensions: z.number().nullable(),
  hasApiKey: z.boolean(),
})

const contextOf = (name: string): string => `embedding_models:${name}`

export function createKeptSettings(options: KeptSettingsOptions): KeptSettings {
  return {
    keep: (model, settings) => keep(options, model, settings),
    find: (name) => find(options, name),
    dropUnused: (configuredName) => dropUnused(options.db, configuredName),
    reencrypt: () => reencrypt(options),
  }
}

async function keep(
  { db, cipher }: KeptSettingsOptions,
  model: EmbeddingModel,
  given: EmbeddingModelSettings,
): Promise<void> {
  // The built-in model is always available and needs no settings.
  if (given.provider === 'builtin') return
  const { id, name } = await ensureStoredModel(db, model)
  const { provider, baseUrl, model: modelName, dimensions, apiKey } = given
  const settings: z.input<typeof Stored> = {
    provider,
    baseUrl: baseUrl ?? null,
    model: modelName ?? null,
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

async function find(options: KeptSettingsOptions, name: string): Promise<EmbeddingModelSettings | null> {
  const { db } = options
  const present = options.present()
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
  { cipher }: KeptSettingsOptions,
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

async function dropUnused(db: Db, configuredName: string): Promise<void> {
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

async function reencrypt({ db, cipher }: KeptSettingsOptions): Promise<void> {
  const rows = await db
    .selectFrom('embedding_models')
    .select(['id', 'name', 'ciphertext'])
    .where('ciphertext', 'is not', null)
    .execute()
  const unreadable: { name: string; cause: unknown }[] = []
  for (const { id, name, ciphertext } of rows) {
    if (ciphertext === null) continue
    try {
      const anew = (await cipher())?.reencrypt(ciphertext, contextOf(name))
      if (anew) await replaceCiphertext(db, id, { from: ciphertext, to: anew })
    } catch (cause) {
      unreadable.push({ name, cause })
    }
  }
  const [first] = unreadable
  if (first === undefined) return
  const names = unreadable.map(({ name }) => name).join(', ')
  throw new Error(
    `ENCRYPTION_KEY: the API keys kept for these embedding models cannot be decrypted with it: ${names}; add the key they ` +
      'were encrypted with to the list until the vectors have been moved',
    { cause: first.cause },
  )
}

/** Another process may have done this meanwhile, or stored a new key. */
async function replaceCiphertext(
  db: Db,
  id: number,
  { from, to }: { from: Buffer; to: Buffer },
): Promise<void> {
  await db
    .updateTable('embedding_models')
    .set({ ciphertext: to })
    .where('id', '=', id)
    .where('ciphertext', '=', from)
    .execute()
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
    `The stored vectors are of the embedding model "${name}", whose API key ${why}, or move to the present model with ` +
      'POST /v1/maintenance/reembed',
    { details: { storedModel: name }, ...(cause === undefined ? {} : { cause }) },
  )
}
