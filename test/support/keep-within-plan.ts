import { markKeysBeyondPlan } from '../../src/access/index.ts'
import { createKeepWithinPlan } from '../../src/billing/index.ts'
import { markSourcesBeyondPlan } from '../../src/sources/index.ts'

/** Assembled as in the service. */
export const keepWithinPlan = createKeepWithinPlan({
  agents: markKeysBeyondPlan,
  connectors: markSourcesBeyondPlan,
})
