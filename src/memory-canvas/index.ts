import type { Db } from '../database/database.ts'
import type { Clock } from '../kernel/clock.ts'
import { createDrawCanvas, type FindItems } from './canvas.ts'
import { describeEntity } from './entity-details.ts'
import type { MemoryCanvasServices } from './routes.ts'

/** The people, topics and places that an organization's items name. */
export function createMemoryCanvas(options: {
  db: Db
  clock: Clock
  findItems: FindItems
}): MemoryCanvasServices['memoryCanvas'] {
  return {
    draw: createDrawCanvas(options),
    describe: (caller, entityId) => describeEntity(options.db, caller, entityId),
  }
}

export { ENTITY_TYPES, type EntityType } from '../database/schema-words.ts'
export type { Atom } from './atoms.ts'
export type { FindItems } from './canvas.ts'
export { idsOfEntity } from './entity-details.ts'
export { extractingEntities, type ItemToRead } from './extraction/extract-entities.ts'
export { fold, type FoundEntity } from './extraction/identity.ts'
export { removeFromCanvas, rereadItems } from './remove-from-canvas.ts'
export { byWeight, interleave } from './graph.ts'
export { type Entity, resolveEntities } from './resolve.ts'
export { memoryCanvasRoutes, type MemoryCanvasServices } from './routes.ts'
export { type CanvasWorker, createCanvasWorker } from './worker.ts'
