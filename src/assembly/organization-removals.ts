import type { Billing } from '../billing/index.ts'
import {
  createOrganizationRemovals as createRemovals,
  type OrganizationRemovals,
} from '../organization-removal/index.ts'
import type { Removals } from '../sources/index.ts'
import type { VectorMemory } from '../vector-memory/index.ts'
import type { ConnectorEngine } from './connector-engine.ts'
import type { Foundation } from './foundation.ts'

/** The removal of organizations, with their sources and what this process caches of them. */
export function createOrganizationRemovals(
  deps: Foundation,
  parts: { billing: Billing; connectors: ConnectorEngine; removals: Removals; memory: VectorMemory | null },
): OrganizationRemovals {
  const { settings, database, clock, logger } = deps
  const { billing, connectors, removals, memory } = parts
  return createRemovals({
    db: database.db,
    clock,
    logger,
    billing,
    works: settings.ROLE !== 'api',
    disconnect: (tx, source) => connectors.accounts.revocations.prepare(tx, source),
    mark: (tx, changes, source) => removals.mark(tx, changes, source),
    onRemoved() {
      void connectors.disconnect()
      // A failure is retried within a minute, as on every other process.
      void memory
        ?.evictRemoved()
        .catch((err: unknown) =>
          logger.warn({ err }, 'vectors of a removed organization stay in memory until the next attempt'),
        )
    },
  })
}
