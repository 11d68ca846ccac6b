import type { EmbeddingModel } from '../inference/embedding-model.ts'
import type { LanguageModel } from '../inference/language-model.ts'
import { type Span, traced, type Tracer } from '../kernel/tracer.ts'

/** An embedding model whose calls are traced, without the embedded text. */
export function tracedEmbeddingModel(model: EmbeddingModel, tracer: Tracer): EmbeddingModel {
  const options = {
    kind: 'client',
    attributes: {
      'gen_ai.operation.name': 'embeddings',
      'gen_ai.request.model': model.id,
      'gen_ai.embeddings.dimension.count': model.dimensions,
    },
  } as const
  const name = `embeddings ${model.id}`
  return {
    id: model.id,
    dimensions: model.dimensions,
    ...(model.meaning === undefined ? {} : { meaning: model.meaning }),
    ...(model.replaces === undefined ? {} : { replaces: model.replaces }),
    embedDocuments: (documents, signal) =>
      traced(tracer, name, options, () => model.embedDocuments(documents, signal)),
    embedQuery: (query, signal) => traced(tracer, name, options, () => model.embedQuery(query, signal)),
  }
}

/** A language model whose calls are traced, without prompt and answer. */
export function tracedLanguageModel(model: LanguageModel, tracer: Tracer): LanguageModel {
  const [maker = model.id, ...rest] = model.id.split(':')
  const name = rest.join(':')
  return {
    id: model.id,
    async *stream(prompt, signal) {
      const span = tracer.begin(`chat ${name}`, {
        kind: 'client',
        attributes: {
          'gen_ai.operation.name': 'chat',
          'gen_ai.provider.name': maker === 'google' ? 'gcp.gemini' : maker,
          'gen_ai.request.model': name,
          'gen_ai.request.max_tokens': prompt.maxOutputTokens,
        },
      })
      try {
        yield* inSpan(span, model.stream(prompt, signal))
        span.end()
      } catch (error) {
        span.end({ error })
        throw error
      } finally {
        // The reader can stop before the end.
        span.end()
      }
    },
  }
}

/** A generator runs in the context of its reader, so each step enters the span again. */
async function* inSpan(span: Span, pieces: AsyncIterable<string>): AsyncGenerator<string> {
  const iterator = pieces[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await span.within(() => iterator.next())
      if (next.done) return
      yield next.value
    }
  } finally {
    await iterator.return?.()
  }
}
