import { randomUUID } from 'node:crypto'
import { type ChargedAnswer, recordRetrievals, retrievalValues } from '../audit/index.ts'
import { countOverage, stateAt, type SubscriptionRow } from '../billing/index.ts'
import type { Db } from '../database/database.ts'
import { prepare } from '../database/prepared.ts'
import { countUse, useValues } from '../daily-usage/index.ts'
import type { CreditReservation, CreditUse } from '../http/gates.ts'
import { inBatches } from '../kernel/batches.ts'
import type { Clock } from '../kernel/clock.ts'
import { actorOf } from '../kernel/caller.ts'
import { asError } from '../kernel/thrown-errors.ts'
import { startPeriod, subscriptionRequired } from './period.ts'

const COUNT_ROUNDS_MAX = 10
/** With this many answers of a caller in flight, those that end within {@link LINGER_MS} are recorded together. */
const BUSY_FROM = 4
const LINGER_MS = 2

export interface Ledger {
  db: Db
  clock: Clock
}

// When no cap or bill depends on the count, the answer does not wait for the disk: after a crash of the database server
// the displayed figure can miss the last moment.
const countCredits = prepare(`
  with counted as (
    update subscriptions set credits_used = credits_used + $3
    where organization_id = $1 and period_ends_at > $2
      and (credit_limit is null or ($3 = 1 and (blocks_over_cap or credits_used < credit_limit)))
    returning organization_id, period_started_at, credit_limit
  ), used as (${countUse('counted', 4)}
  ), recorded as (${recordRetrievals('counted', 10)}
  )
  select case when credit_limit is null then set_config('synchronous_commit', 'off', true) end from counted`)

const readState = prepare<SubscriptionRow>(`
  select status, tier, credits_used, overage_answers, period_anchor, period_started_at, period_ends_at,
    retrieves, credit_limit, blocks_over_cap
  from subscriptions where organization_id = $1`)

function callerOf({ caller }: CreditUse): string {
  return JSON.stringify([caller.organizationId, actorOf(caller)])
}

/** Holds without a cap: successful requests that end together are counted and recorded in one statement. */
export function countInBatches({ db, clock }: Ledger): (use: CreditUse) => CreditReservation {
  const inFlight = new Map<string, number>()
  const changeInFlight = (use: CreditUse, by: number): void => {
    const caller = callerOf(use)
    const left = (inFlight.get(caller) ?? 0) + by
    if (left > 0) inFlight.set(caller, left)
    else inFlight.delete(caller)
  }
  const count = inBatches<ChargedAnswer, null>({
    keyOf: ({ use, at }) => JSON.stringify([use.caller.organizationId, ...useValues(use, at)]),
    lingerMs: ({ use }) => ((inFlight.get(callerOf(use)) ?? 0) < BUSY_FROM ? 0 : LINGER_MS),
    async run(answers) {
      if (answers.length > 1 && (await countAtOnce(db, answers, clock.now()))) return answers.map(() => null)
      const counted: (null | Error)[] = []
      // A failure is of one answer: those before it are charged, so they must not fail with it.
      for (const one of answers) counted.push(await countOne({ db, clock }, one).catch(asError))
      return counted
    },
  })
  return (use) => {
    let ended = false
    const end = (): void => {
      if (!ended) changeInFlight(use, -1)
      ended = true
    }
    changeInFlight(use, 1)
    return {
      async settle(retrieved) {
        await count({ use, retrieved, at: clock.now() }).finally(end)
      },
      async refund() {
        end()
      },
    }
  }
}

/** @returns false when a cap, a bill or the end of the period requires counting one by one */
async function countAtOnce(
  db: Db,
  answers: readonly [ChargedAnswer, ...ChargedAnswer[]],
  now: Date,
): Promise<boolean> {
  const [{ use }] = answers
  const { length } = answers
  const { organizationId } = use.caller
  const retrieved = answers.map((answer) => answer.retrieved)
  const values = [
    organizationId,
    now,
    length,
    ...useValues(use, now, length),
    ...retrievalValues(use, retrieved, now),
  ]
  return (await countCredits(db, values)).rows.length > 0
}

/** @returns why it could not be counted; null when it was */
async function countOne({ db, clock }: Ledger, answer: ChargedAnswer): Promise<Error | null> {
  const { organizationId } = answer.use.caller
  // In each round another request may have taken the last credit, begun the period or changed the plan.
  for (let round = 0; round < COUNT_ROUNDS_MAX; round += 1) {
    const now = clock.now()
    if (await countAtOnce(db, [answer], now)) return null
    if (await countOverage(db, { ...answer, reportId: randomUUID(), at: now })) return null
    const [row] = (await readState(db, [organizationId])).rows
    if (!row) return subscriptionRequired(row)
    const state = stateAt(row, now)
    if (state.over) await startPeriod(db, organizationId, state, now)
  }
  return new Error('a credit could not be counted: the subscription changed at every attempt')
}
