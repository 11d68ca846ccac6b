import type { EmulatorReply, EmulatorRequest } from '../kit/server.ts'
import type { JiraIssue, JiraState } from './state.ts'

export interface RouteContext {
  state: JiraState
  /** The token's user; null: none. */
  accountId: string | null
  /** Ids that are not in the search index yet. */
  unindexed: ReadonlySet<string>
  now: number
  /** The account's permissions beyond reading. */
  rights: { administers: boolean; browsesUsers: boolean }
  /** The maximum entries of a page, whatever is requested. */
  pageMax: number
}

export interface Call extends EmulatorRequest, RouteContext {
  /** The values matched by the route's pattern. */
  matched: readonly string[]
}

export const refusal = (status: number, message: string): EmulatorReply => ({
  status,
  json: { errorMessages: [message], errors: {} },
})

export const isRead = ({ state, accountId }: RouteContext, issue: JiraIssue): boolean =>
  accountId !== null && state.reads(accountId, issue)
