/** `DATA_DIR/embedding-model.json`: the model chosen at run time, if the environment names none and it is embedded. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { EMBEDDING_PROVIDERS } from '../../inference/embedding-model.ts'
import type { EmbeddingModelSettings } from '../../inference/embedding-models/create-embedding-model.ts'
import { StartupError } from '../../kernel/errors.ts'
import type { SecretCipher } from '../../kernel/secret-cipher.ts'
import { replaceText } from '../../database/durable-files.ts'
import { makeFolder } from '../../database/make-folder.ts'
import { messageOf, nullIfMissing } from '../../kernel/thrown-errors.ts'

/** The chosen model's settings and, while chunks are still moving, those of the model before. */
export interface Choice {
  chosen: EmbeddingModelSettings
  former: EmbeddingModelSettings | null
}

export interface ChoiceFile {
  readonly path: string
  /** null: no choice was made. Re-encrypts keys of older encryption keys. @throws StartupError */
  read(): Promise<Choice | null>
  /** Replaces the whole file atomically. */
  write(choice: Choice): Promise<void>
}

const Stored = z.strictObject({
  provider: z.enum(EMBEDDING_PROVIDERS),
  baseUrl: z.string().optional(),
  model: z.string().optional(),
  dimensions: z.int().min(1).optional(),
  knownDimensions: z.int().min(1).optional(),
  /** Encrypted, in base64. */
  apiKey: z.string().optional(),
})
const StoredChoice = z.strictObject({ chosen: Stored, former: Stored.nullable() })

const CONTEXT = 'embedding-model.json'

/** The file in `dataDir`; calls `cipher` only if there is an API key. */
export function createChoiceFile(dataDir: string, cipher: () => Promise<SecretCipher>): ChoiceFile {
  const path = join(dataDir, 'embedding-model.json')
  const write = async ({ chosen, former }: Choice): Promise<void> => {
    const stored: z.input<typeof StoredChoice> = {
      chosen: await sealed(chosen, cipher),
      former: former && (await sealed(former, cipher)),
    }
    await makeFolder(dataDir)
    await replaceText(path, `${JSON.stringify(stored, null, 2)}\n`)
  }
  return {
    path,
    async read() {
      const text = await readFile(path, 'utf8').catch(nullIfMissing)
      if (text === null) return null
      try {
        const { chosen, former } = StoredChoice.parse(JSON.parse(text))
        const choice = {
          chosen: await opened(chosen, cipher),
          former: former && (await opened(former, cipher)),
        }
        if ((await isByOlderKey(chosen, cipher)) || (former && (await isByOlderKey(former, cipher))))
          await write(choice)
        return choice
      } catch (cause) {
        const reason = messageOf(cause)
        throw new StartupError(
          `DATA_DIR: ${path} cannot be read (${reason}). Remove it to start with the built-in embedding model, then choose again with: npm run memory -- model use NAME`,
          { cause },
        )
      }
    },
    write,
  }
}

async function sealed(
  { apiKey, ...plain }: EmbeddingModelSettings,
  cipher: () => Promise<SecretCipher>,
): Promise<z.input<typeof Stored>> {
  if (apiKey === undefined) return plain
  return { ...plain, apiKey: (await cipher()).encrypt(apiKey, CONTEXT).toString('base64') }
}

async function opened(
  { apiKey, ...plain }: z.output<typeof Stored>,
  cipher: () => Promise<SecretCipher>,
): Promise<EmbeddingModelSettings> {
  if (apiKey === undefined) return plain
  return { ...plain, apiKey: (await cipher()).decrypt(Buffer.from(apiKey, 'base64'), CONTEXT) }
}

async function isByOlderKey(
  { apiKey }: z.output<typeof Stored>,
  cipher: () => Promise<SecretCipher>,
): Promise<boolean> {
  return apiKey !== undefined && (await cipher()).reencrypt(Buffer.from(apiKey, 'base64'), CONTEXT) !== null
}
