import { z } from 'zod'
import type { EmulatorReply, EmulatorRequest } from '../emulators/kit/server.ts'
import { hashEmbeddingModel } from '../test/support/hash-embedding-model.ts'

export const MODEL_URL = 'http://model.simulated'
export const MODEL_DIMENSIONS = 256

const model = hashEmbeddingModel({ dimensions: MODEL_DIMENSIONS })
const Asked = z.object({ input: z.array(z.string()) })

/** An embedding server with OpenAI's protocol. */
export async function serveEmbeddings({ path, body }: EmulatorRequest): Promise<EmulatorReply> {
  if (path !== '/v1/embeddings') return { status: 404, json: { error: { message: 'not found' } } }
  const { input } = Asked.parse(JSON.parse(body))
  const vectors = await model.embedDocuments(input.map((text) => ({ title: '', text })))
  const data = vectors.map((vector, index) => ({ object: 'embedding', index, embedding: [...vector] }))
  return { json: { object: 'list', data, model: 'simulated', usage: { prompt_tokens: 0, total_tokens: 0 } } }
}
