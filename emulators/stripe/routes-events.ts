import { z } from 'zod'
import { found } from './account.ts'
import { pageOf } from './answers.ts'
import { pathId, type ApiRoute } from './api.ts'
import { ignored, page, readInput, text } from './inputs.ts'

const bound = z.coerce.number().optional()
const Range = z.strictObject({ gt: bound, gte: bound, lt: bound, lte: bound })
const List = z.strictObject({
  ...page,
  type: text.optional(),
  types: z.array(text).max(20).optional(),
  delivery_success: ignored,
  created: z.union([Range, z.coerce.number().transform((at) => ({ gte: at, lte: at }))]).optional(),
})

/** All events, whether or not a webhook delivered them. */
export const eventRoutes: Record<string, ApiRoute> = {
  'GET /v1/events': ({ account, input }) => {
    const given = readInput(List, input)
    const range: z.output<typeof Range> = given.created ?? {}
    const meant = [...account.events.values()].filter(
      (event) =>
        (given.type === undefined || given.type === event.type) &&
        (given.types === undefined || given.types.includes(event.type)) &&
        event.created > (range.gt ?? -1) &&
        event.created >= (range.gte ?? 0) &&
        event.created < (range.lt ?? Infinity) &&
        event.created <= (range.lte ?? Infinity),
    )
    return pageOf(meant, given, '/v1/events')
  },
  'GET /v1/events/:id': (call) => found(call.account.events, 'event', pathId(call)),
}
