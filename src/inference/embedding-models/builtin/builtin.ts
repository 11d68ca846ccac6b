import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

import { StartupError } from '../../../kernel/errors.ts'
import { runCooperatively, type Pausable, SHORT_BURST_MS } from '../../../kernel/cooperative.ts'
import type { EmbeddingInput, EmbeddingModel } from '../../embedding-model.ts'
import { decodeArtifact, MODEL_ID, MODEL_IDS, type ModelId } from './artifact-format.ts'
import { loadForeignWords } from './foreign-words.ts'
import { createEmbedder, DIMENSIONS, type Embedder, MEANING_PART } from './embed.ts'

export function artifactPath(id: ModelId): string {
  return fileURLToPath(new URL(`${id}.bin`, import.meta.url))
}

const embedders = new Map<string, Promise<Embedder>>()

/** The embedding model without network: 1,024 dimensions; an older id serves stored vectors. @throws StartupError */
export async function loadBuiltinModel(
  id: ModelId = MODEL_ID,
  path = artifactPath(id),
): Promise<EmbeddingModel> {
  const embedder = await loadEmbedder(id, path)
  return {
    id,
    dimensions: DIMENSIONS,
    meaning: MEANING_PART,
    replaces: MODEL_IDS.slice(0, MODEL_IDS.indexOf(id)),
    embedDocuments: (documents, signal) => embedAll(embedder, documents, signal),
    embedQuery: async (query, signal) => {
      signal?.throwIfAborted()
      return embedder.embedQuery(query)
    },
  }
}

/** The built-in model of that name; null: none. @throws as `loadBuiltinModel` */
export async function findBuiltinModel(name: string): Promise<EmbeddingModel | null> {
  const id = MODEL_IDS.find((one) => one === name)
  return id === undefined ? null : await loadBuiltinModel(id)
}

/** What the current model knows of single stems. @throws as `loadBuiltinModel` */
export async function loadWordKnowledge(): Promise<
  Pick<Embedder, 'backgroundWeight' | 'translationsOf' | 'wordVector'>
> {
  return await loadEmbedder(MODEL_ID, artifactPath(MODEL_ID))
}

function loadEmbedder(id: ModelId, path: string): Promise<Embedder> {
  const known = embedders.get(path)
  if (known) return known
  const loading = readEmbedder(id, path)
  embedders.set(path, loading)
  // A failed read is not cached: the file may be restored.
  loading.catch(() => embedders.delete(path))
  return loading
}

/** Models before the current one embed questions as they did, without translations. */
async function readEmbedder(id: ModelId, path: string): Promise<Embedder> {
  const translations = id === MODEL_ID ? loadForeignWords() : undefined
  const [bytes, translate] = await Promise.all([readArtifact(path), translations])
  return createEmbedder(decodeArtifact(bytes, path, id), translate)
}

async function readArtifact(path: string): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch (cause) {
    throw new StartupError(
      `The built-in embedding model cannot read ${path}. Restore it from the release you run, ` +
        'or set EMBEDDING_PROVIDER to another model.',
      { cause },
    )
  }
}

async function embedAll(
  embedder: Embedder,
  documents: readonly EmbeddingInput[],
  signal?: AbortSignal,
): Promise<Float32Array[]> {
  signal?.throwIfAborted()
  return await runCooperatively(embeddingAll(embedder, documents), signal, SHORT_BURST_MS)
}

/** A chunk takes about 0.1 ms; one of ligatures that expand to whole phrases, a hundred times as much. */
function* embeddingAll(embedder: Embedder, documents: readonly EmbeddingInput[]): Pausable<Float32Array[]> {
  const vectors: Float32Array[] = []
  for (const document of documents) {
    yield
    vectors.push(embedder.embedDocument(document.title, document.text))
  }
  return vectors
}
