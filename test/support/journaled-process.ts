import type { Db } from '../../src/database/database.ts'
import { createModelRegistry } from '../../src/models/index.ts'
import type { EmbeddingModel } from '../../src/inference/embedding-model.ts'
import {
  createItems,
  createJournaledIngests,
  type Items,
  type JournaledIngests,
} from '../../src/items/index.ts'
import { hashEmbeddingModel } from './hash-embedding-model.ts'

/** The part of a process that stores items on a database with one session. */
export interface JournaledProcess {
  items: Items
  journaled: JournaledIngests
  /** What failed while decided ingests were finished. */
  errors: unknown[]
}

export interface JournaledProcessOptions {
  embedding?: EmbeddingModel
  /** The model to move to. */
  target?: EmbeddingModel
  /** Whether another request waits for the session; by default always. */
  isAwaited?: () => boolean
  /** The process dies after this many steps, each in its own transaction. */
  steps?: number
}

const model = hashEmbeddingModel()

/** A process that has the database open. Another handle is another process. */
export function journaledProcess(db: Db, options: JournaledProcessOptions = {}): JournaledProcess {
  const { embedding = model, target = embedding, steps = Number.POSITIVE_INFINITY } = options
  const { isAwaited = dyingAfter(steps) } = options
  const clock = { now: () => new Date() }
  const models = createModelRegistry({ configured: embedding, builtin: async () => target })
  const errors: unknown[] = []
  const onError = (error: unknown): void => void errors.push(error)
  const journaled = createJournaledIngests({ db, models, clock, isAwaited, onError })
  return { items: createItems({ db, models, clock, journaled }), journaled, errors }
}

function dyingAfter(steps: number): () => boolean {
  let left = steps
  return () => {
    left -= 1
    if (left < 0) throw new Error('died')
    return true
  }
}
