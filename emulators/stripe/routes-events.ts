import { z } from 'zod'
import { found } from './account.ts'
import { pageOf } from './answers.ts'
import { pathId, type ApiRoute } from './api.ts'
import { page, readInput } from './inputs.ts'

const List = z.strictObject(page)

/** All events, whether or not a webhook delivered them. */
export const eventRoutes: Record<string, ApiRoute> = {
  'GET /v1/events': ({ account, input }) => {
    return pageOf([...account.events.values()], readInput(List, input), '/v1/events')
  },
  'GET /v1/events/:id': (call) => found(call.account.events, 'event', pathId(call)),
}
