import { z } from 'zod'
import { EXAMPLE_ID, shownId, text } from '../kernel/schemas.ts'

export const Citation = z
  .object({
    index: z.int().min(1).meta({ description: 'The N of a marker `[N]`.', example: 1 }),
    sourceItemId: shownId('The cited item.', EXAMPLE_ID.sourceItem),
    title: text('Its title.', 'Vacation'),
  })
  .meta({ id: 'Citation', description: 'The item that a marker cites.' })
export type Citation = z.output<typeof Citation>
