import { type RawBuilder, sql } from 'kysely'
import { CHARGED_ACTIONS } from '../kernel/actions.ts'

/** Whether a row of `api_keys` is an agent: a key that can spend credits counts toward the plan's number of agents. */
export function isAgentKey(): RawBuilder<boolean> {
  return sql<boolean>`allowed_actions && array[${sql.join([...CHARGED_ACTIONS])}]::text[]`
}
