import { LeaseLost } from '../../background/index.ts'
import type { Db } from '../../database/database.ts'
import type { Clock } from '../../kernel/clock.ts'
import { AppError } from '../../kernel/errors.ts'
import { toUpstreamError } from '../payment-processor.ts'
import { ensureAccount, endTurn, renewTurn, takeTurn, type Turn } from './accounts.ts'

export interface TurnDependencies {
  db: Db
  clock: Clock
  sleep: (ms: number) => Promise<void>
}

const TURN_WAIT_MS = 15_000
const LOOK_AGAIN_MS = 50

/** Runs with the organization's turn, outside transactions. @throws AppError `overloaded`, `upstream_error` */
export async function inTurn<T>(
  deps: TurnDependencies,
  organizationId: string,
  run: (turn: Turn) => Promise<T>,
): Promise<T> {
  const { db, clock, sleep } = deps
  await ensureAccount(db, organizationId, clock.now())
  let turn = await takeTurn(db, organizationId)
  for (let waited = 0; !turn; waited += LOOK_AGAIN_MS) {
    if (waited >= TURN_WAIT_MS) throw busy()
    await sleep(LOOK_AGAIN_MS)
    turn = await takeTurn(db, organizationId)
  }
  try {
    return await run(turn)
  } catch (error) {
    throw toUpstreamError(error)
  } finally {
    await endTurn(db, turn, null)
  }
}

/** Renews the turn before an act that must not happen twice. @throws AppError `overloaded` */
export async function keepTurn(db: Db, turn: Turn): Promise<void> {
  try {
    await renewTurn(db, turn)
  } catch (error) {
    throw error instanceof LeaseLost ? busy() : error
  }
}

function busy(): AppError {
  return new AppError('overloaded', 'Billing of this workspace is busy; try again in a moment', {
    headers: { 'Retry-After': '5' },
  })
}
