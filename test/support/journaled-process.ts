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

/** The parts of a process that store items on a single-session database. */
export interface JournaledProcess {
  items: Items
  journaled: JournaledIngests
  /** Failures while completing recorded ingests. */
  errors: unknown[]
}

export interface JournaledProcessOptions {
  embedding?: EmbeddingModel
  /** The model to move to. */
  target?: EmbeddingModel
  /** Whether another request waits for the session; always by default. */
  isAwaited?: () => boolean
  /** The process dies after this many steps, each in its own transaction. */
  steps?: number
}

const model = hashEmbeddingModel()

/** A process that has the database open. A second handle is a second process. */
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
