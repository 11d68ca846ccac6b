import { markKeysBeyondPlan } from '../../src/access/index.ts'
import { createKeepWithinPlan } from '../../src/billing/index.ts'
import { markSourcesBeyondPlan } from '../../src/sources/index.ts'

/** As the service puts it together. */
export const keepWithinPlan = createKeepWithinPlan({
  agents: markKeysBeyondPlan,
  connectors: markSourcesBeyondPlan,
})
