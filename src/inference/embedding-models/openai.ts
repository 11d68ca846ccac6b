import pLimit from 'p-limit'
import { z } from 'zod'
import { AppError } from '../../kernel/errors.ts'
import type { EmbeddingModel } from '../embedding-model.ts'
import { postJson, type PostJsonOptions } from '../post-json.ts'
import { ProviderFailure, providerError } from '../provider-failure.ts'
import { titledText, unitVector } from './unit-vector.ts'
import { inParts } from '../../kernel/in-parts.ts'

export interface OpenAiEmbeddingSettings {
  /** With the version path, as OpenAI clients have it: `…/v1`. */
  baseUrl: string
  apiKey?: string | undefined
  model: string
  /** Requested from the server and checked in every response; without it, one request at creation finds it. */
  dimensions?: number | undefined
  /** The dimensions that the server uses by default; checked likewise. */
  knownDimensions?: number | undefined
}

export interface OpenAiEmbeddingOptions extends Partial<PostJsonOptions> {
  /** Inputs in one request; OpenAI takes at most 2,048. */
  batchSize?: number
  /** Concurrent requests, over all callers. */
  concurrency?: number
}

const PROVIDER = 'The embedding model'
const BATCH_SIZE = 96
const CONCURRENCY = 4
/** A refused text is shortened to this share, but not below this length. */
const SHORTER = 2 / 3
const SHORTENED_CHARACTERS_MIN = 200
/** Enough for 96 vectors of 8,192 numbers printed in full. */
const RESPONSE_BYTES_MAX = 32 * 1024 * 1024

const EmbeddingsResponse = z.object({
  // Gemini omits the index 0.
  data: z.array(z.object({ index: z.number().int().nullish(), embedding: z.array(z.number()) })),
})

/** The embedding model of any server with OpenAI's `POST /embeddings`. @throws AppError `upstream_error` */
export async function createOpenAiEmbeddingModel(
  settings: OpenAiEmbeddingSettings,
  options: OpenAiEmbeddingOptions = {},
): Promise<EmbeddingModel> {
  const limit = pLimit(options.concurrency ?? CONCURRENCY)
  let batchSize = options.batchSize ?? BATCH_SIZE

  let shortenings = 0

  async function embedBatch(inputs: readonly string[], signal?: AbortSignal): Promise<Float32Array[]> {
    try {
      return await limit(() => requestEmbeddings(settings, options, inputs, signal))
    } catch (error) {
      if (!mayBeTooMuch(error)) throw error
      return inputs.length === 1
        ? await embedShorter(inputs, error, signal)
        : await embedHalves(inputs, signal)
    }
  }

  async function embedHalves(inputs: readonly string[], signal?: AbortSignal): Promise<Float32Array[]> {
    const half = Math.ceil(inputs.length / 2)
    const before = shortenings
    const first = await embedBatch(inputs.slice(0, half), signal)
    const second = await embedBatch(inputs.slice(half), signal)
    // Both halves were accepted as they are, so it was their number that was refused.
    if (shortenings === before) batchSize = Math.min(batchSize, half)
    return [...first, ...second]
  }

  /** Some servers refuse a text beyond their model's context instead of cutting it. */
  async function embedShorter([text = '']: readonly string[], refusal: unknown, signal?: AbortSignal) {
    if (text.length <= SHORTENED_CHARACTERS_MIN) throw refusal
    shortenings++
    return await embedBatch([text.slice(0, Math.ceil(text.length * SHORTER)).toWellFormed()], signal)
  }

  const dimensions =
    settings.dimensions ?? settings.knownDimensions ?? (await embedBatch(['dimensions']))[0]?.length ?? 0

  async function embed(inputs: readonly string[], signal?: AbortSignal): Promise<Float32Array[]> {
    const batches = [...inParts(inputs, batchSize)]
    // The first failing batch aborts the others, so that no request outlives the call.
    const stop = new AbortController()
    const either = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal
    try {
      const vectors = (await Promise.all(batches.map((batch) => embedBatch(batch, either)))).flat()
      const wrong = vectors.find((vector) => vector.length !== dimensions)
      if (wrong) throw unusable(`vectors have ${wrong.length} dimensions instead of ${dimensions}`)
      return vectors
    } catch (error) {
      stop.abort(error)
      throw error
    }
  }

  return {
    id: `openai:${settings.model}:${dimensions}`,
    dimensions,
    embedDocuments: (documents, signal) => embed(documents.map(titledText), signal),
    async embedQuery(query, signal) {
      const [vector] = await embed([query], signal)
      if (!vector) throw unusable('no vector was returned for the query')
      return vector
    },
  }
}

async function requestEmbeddings(
  settings: OpenAiEmbeddingSettings,
  options: OpenAiEmbeddingOptions,
  input: readonly string[],
  signal?: AbortSignal,
): Promise<Float32Array[]> {
  const body = {
    model: settings.model,
    input,
    encoding_format: 'float',
    // Sent only if set: many compatible servers reject the parameter.
    ...(settings.dimensions === undefined ? {} : { dimensions: settings.dimensions }),
  }
  const answer = await postJson(
    {
      provider: PROVIDER,
      url: `${settings.baseUrl.replace(/\/+$/, '')}/embeddings`,
      apiKey: settings.apiKey,
      body,
    },
    { responseBytesMax: RESPONSE_BYTES_MAX, ...options },
    signal,
  )
  const parsed = EmbeddingsResponse.safeParse(answer)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw unusable(`the response is not a list of embeddings: ${issue?.path.join('.')}: ${issue?.message}`)
  }
  return inOrder(parsed.data.data, input.length)
}

/** Whether a server may have refused the number or length of inputs, which each does in its own words. */
function mayBeTooMuch(error: unknown): boolean {
  if (!(error instanceof AppError) || !(error.cause instanceof ProviderFailure)) return false
  return [400, 413, 422].includes(error.cause.status ?? 0)
}

/** Vectors by their `index`, else in the order of the response. */
function inOrder(data: z.infer<typeof EmbeddingsResponse>['data'], count: number): Float32Array[] {
  if (data.length !== count) throw unusable(`${data.length} embeddings were returned for ${count} inputs`)
  const byIndex = new Map(data.map((entry, at) => [entry.index ?? at, entry.embedding]))
  return Array.from({ length: count }, (_, index) => {
    const embedding = byIndex.get(index)
    if (!embedding) throw unusable(`no embedding was returned with index ${index}`)
    const vector = unitVector(embedding)
    if (!vector) throw unusable(`the embedding with index ${index} has no direction`)
    return vector
  })
}

function unusable(words: string): AppError {
  return providerError(PROVIDER, { kind: 'rejected', status: null, detail: words })
}
