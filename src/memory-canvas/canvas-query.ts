import type { ProviderId } from '../kernel/providers.ts'
import type { EntityType } from './atoms.ts'

/** What part of the canvas is asked for. */
export interface CanvasQuery {
  q?: string | undefined
  provider?: ProviderId | undefined
  entityType?: EntityType | undefined
  /** A node's id. */
  around?: string | undefined
  since?: Date | undefined
  limit: number
}
