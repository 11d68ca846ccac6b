import type { ProviderId } from '../kernel/providers.ts'
import type { EntityType } from './atoms.ts'

export interface CanvasQuery {
  q?: string | undefined
  provider?: ProviderId | undefined
  entityType?: EntityType | undefined
  around?: string | undefined
  since?: Date | undefined
  limit: number
}
