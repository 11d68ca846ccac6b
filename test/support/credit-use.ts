import { randomUUID } from 'node:crypto'
import type { Db } from '../../src/database/database.ts'
import type { CreditReservation, CreditUse, Retrieved } from '../../src/http/gates.ts'
import { AppError } from '../../src/kernel/errors.ts'

/** A search by an organization's key (the same by default) that costs one credit. */
export function aSearch(organizationId: string, apiKeyId = organizationId): CreditUse {
  return {
    caller: {
      kind: 'agent',
      organizationId,
      apiKeyId,
      actorType: 'agent',
      allowedActions: ['search'],
      allowedProviders: null,
    },
    surface: 'search',
    isMcp: false,
    uncappedAt: null,
  }
}

/** A search result with which a credit is settled. */
export function aRetrieval(): Retrieved {
  return { requestId: randomUUID(), query: 'paid time off', hitCount: 1, providers: ['slack'] }
}

/** The number of charges by day in the period that began then. */
export async function chargedOf(db: Db, organizationId: string, periodStart: string): Promise<number> {
  const rows = await db
    .selectFrom('daily_usage')
    .select(['requests', 'credits'])
    .where('organization_id', '=', organizationId)
    .where('period_started_at', '=', new Date(periodStart))
    .execute()
  const sum = (of: 'requests' | 'credits') => rows.reduce((total, row) => total + row[of], 0)
  if (sum('requests') !== sum('credits')) throw new Error('an answer costs one credit')
  return sum('credits')
}

/** The number of retrievals in the organization's audit trail. */
export async function recordedOf(db: Db, organizationId: string): Promise<number> {
  const rows = await db
    .selectFrom('audit_events')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('action', 'like', '%.retrieve')
    .execute()
  return rows.length
}

/** The number of credits reserved for requests in flight. */
export async function reservationsOf(db: Db, organizationId: string): Promise<number> {
  const rows = await db
    .selectFrom('credit_reservations')
    .select('id')
    .where('organization_id', '=', organizationId)
    .execute()
  return rows.length
}

export async function refusalOf(outcome: Promise<unknown>): Promise<AppError> {
  const error = await outcome.catch((reason: unknown) => reason)
  if (error instanceof AppError) return error
  throw new Error('it was not refused', { cause: error })
}

/** The credit, or null at the cap. */
export const reservedOrNull = (reservation: Promise<CreditReservation>): Promise<CreditReservation | null> =>
  reservation.catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'quota_exceeded') return null
    throw error
  })
