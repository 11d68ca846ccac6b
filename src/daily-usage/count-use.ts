import type { CreditUse } from '../http/gates.ts'

/**
 * The body of a data-modifying CTE that counts a charged answer on its day. The statement charges and counts it
 * together, in one round trip.
 * @param charged the CTE with the charged row, at most one: `organization_id` and `period_started_at`
 * @param first the number of the first parameter that {@link useValues} returns
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

/** The parameters of {@link countUse} for `answers` identical answers given at `at`. */
export function useValues({ caller, surface, isMcp }: CreditUse, at: Date, answers = 1): readonly unknown[] {
  const isUser = caller.kind === 'console'
  return [dayOf(at), isUser ? caller.userId : caller.apiKeyId, isUser, surface, isMcp, answers]
}

export function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10)
}
