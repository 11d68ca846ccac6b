import { z } from 'zod'
import { EXAMPLE_ID, idOf } from '../kernel/schemas.ts'
import type { Operator } from './operator.ts'

export interface OperatorServices {
  operator: Operator
}

export const limit = z.coerce
  .number()
  .int()
  .min(1)
  .max(500)
  .default(100)
  .describe('Maximum number of results.')
export const organizationId = idOf("The organization's ID, from the list.", EXAMPLE_ID.organization)

export const shared = { tag: 'Operator', access: { surface: 'operator' }, audit: 'none' } as const
