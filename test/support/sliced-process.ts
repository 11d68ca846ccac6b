import type { Db } from '../../src/database/database.ts'
import { createModelRegistry } from '../../src/embeddings/index.ts'
import type { EmbeddingModel } from '../../src/inference/embedding-model.ts'
import { createItems, createSlicedIngests, type Items, type SlicedIngests } from '../../src/items/index.ts'
import { hashEmbeddingModel } from './hash-embedding-model.ts'

/** What of a process stores items in slices. */
export interface SlicedProcess {
  items: Items
  sliced: SlicedIngests
  /** What could not be stored to its end. */
  errors: unknown[]
}

export interface SlicedProcessOptions {
  embedding?: EmbeddingModel
  /** What there is to move to. */
  target?: EmbeddingModel
  /** Whether somebody waits for the session; somebody always does, unless said. */
  isAwaited?: () => boolean
  /** It dies when so many slices are stored, each in a transaction. */
  slices?: number
}

const model = hashEmbeddingModel()

/** A process that has the database; another one where its handle is another one. */
export function slicedProcess(db: Db, options: SlicedProcessOptions = {}): SlicedProcess {
  const { embedding = model, target = embedding, slices = Number.POSITIVE_INFINITY } = options
  const { isAwaited = dyingAfter(slices) } = options
  const clock = { now: () => new Date() }
  const models = createModelRegistry({ configured: embedding, builtin: async () => target })
  const errors: unknown[] = []
  const onError = (error: unknown): void => void errors.push(error)
  const sliced = createSlicedIngests({ db, models, clock, isAwaited, onError })
  return { items: createItems({ db, models, clock, sliced }), sliced, errors }
}

function dyingAfter(slices: number): () => boolean {
  let left = slices
  return () => {
    left -= 1
    if (left < 0) throw new Error('died')
    return true
  }
}
