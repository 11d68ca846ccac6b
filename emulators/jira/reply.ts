import type { EmulatorReply, EmulatorRequest } from '../kit/server.ts'
import type { JiraIssue, JiraState } from './state.ts'

export interface RouteContext {
  state: JiraState
  /** Whose token it is; null: nobody's. */
  accountId: string | null
  /** Ids that the search index has not reached yet. */
  unindexed: ReadonlySet<string>
  now: number
  /** What the account may do besides reading. */
  rights: { administers: boolean; browsesUsers: boolean }
  /** Most entries of any page, whatever is asked for. */
  pageMax: number
}

export interface Call extends EmulatorRequest, RouteContext {
  /** What the route's pattern matched. */
  matched: readonly string[]
}

export const refusal = (status: number, message: string): EmulatorReply => ({
  status,
  json: { errorMessages: [message], errors: {} },
})

export const isRead = ({ state, accountId }: RouteContext, issue: JiraIssue): boolean =>
  accountId !== null && state.reads(accountId, issue)
