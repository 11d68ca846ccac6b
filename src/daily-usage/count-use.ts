import type { CreditUse } from '../http/gates.ts'

/**
 * The part of a statement that counts a charged answer on its day: a data-modifying CTE's insides, so that answers are charged
 * and counted or neither, in one round trip.
 * @param charged the CTE with the rows that were charged, at most one: `organization_id` and `period_started_at`
 * @param first the number of the first of the parameters that {@link useValues} gives
 */
export function countUse(charged: string, first: number): string {
  const [day, subject, isUser, surface, isMcp, answers] = Array.from({ length: 6 }, (_, n) => `$${first + n}`)
  return `
    insert into daily_usage as u
      (organization_id, day, period_started_at, subject_id, is_user, surface, is_mcp, requests, credits)
    select organization_id, ${day}::date, period_started_at, ${subject}::uuid, ${isUser}::boolean, ${surface}::text,
      ${isMcp}::boolean, ${answers}::int, ${answers}::int
    from ${charged}
    on conflict (organization_id, day, period_started_at, subject_id, surface, is_mcp)
    do update set requests = u.requests + ${answers}::int, credits = u.credits + ${answers}::int`
}

/** The parameters of {@link countUse}, for an answer given at `at`, or several that are alike. */
export function useValues({ caller, surface, isMcp }: CreditUse, at: Date, answers = 1): readonly unknown[] {
  const isUser = caller.kind === 'console'
  return [dayOf(at), isUser ? caller.userId : caller.apiKeyId, isUser, surface, isMcp, answers]
}

/** The day in UTC of a moment, as ISO 8601 has it. */
export function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10)
}
