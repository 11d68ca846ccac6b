import { STATUS_CODES } from 'node:http'
import { z } from 'zod'
import { VERSION } from '../../kernel/version.ts'
import { ProviderError, type ProviderSession, type Refusal } from '../adapter.ts'
import { followPages } from '../pages.ts'
import { createRest, parseAnswer, type RestAnswer, type RestOptions } from '../rest.ts'

/** Errors that end a grant: docs.slack.dev/reference/methods/auth.test#errors. */
const AUTH_ERRORS = new Set([
  'invalid_auth',
  'not_authed',
  'account_inactive',
  'token_revoked',
  'token_expired',
  'team_access_not_granted',
  'org_login_required',
  'invalid_refresh_token',
  'invalid_code',
  'code_already_used',
  'bad_redirect_uri',
])

/** https://docs.slack.dev/reference/methods/conversations.list#errors */
const REFUSALS: Readonly<Record<string, Refusal>> = {
  missing_scope: 'missing_permission',
  no_permission: 'access_refused',
  access_denied: 'access_refused',
  restricted_action: 'access_refused',
}

/** Transient errors, sent as HTTP 200. */
const PASSING_ERRORS = new Set([
  'internal_error',
  'fatal_error',
  'service_unavailable',
  'request_timeout',
  'accesslimited',
])

/** How to call Slack's Web API. */
export const SLACK: RestOptions = {
  name: 'Slack',
  headers: {
    'user-agent': `RetrievalMemoryService/${VERSION}`,
    // Slack warns about a charset, which is the default.
    'content-type': 'application/x-www-form-urlencoded',
  },
  curedByNewToken: (error) => error.code === 'token_expired',
  // Slack itself answers with 200 and 429 only.
  refused({ status }) {
    if (status === 429) return undefined
    const kind = status >= 500 || status === 408 ? 'unavailable' : 'rejected'
    return new ProviderError(kind, `${status} ${STATUS_CODES[status] ?? ''}`.trim(), { code: String(status) })
  },
  failed: failureOf,
}

const Outcome = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true) }),
  z.object({ ok: z.literal(false), error: z.string() }),
])

/** The error in an answer, whose status is 200. */
function failureOf(answer: RestAnswer, wait?: number): ProviderError | undefined {
  // Only errors are parsed twice.
  if (/^\{"ok": ?true\b/.test(answer.bytes.toString('latin1', 0, 20))) return undefined
  const outcome = parseAnswer(answer, Outcome, SLACK.name)
  if (outcome.ok) return undefined
  const { error: code } = outcome
  if (code === 'ratelimited' || code === 'rate_limited')
    return new ProviderError('rate_limited', code, { code, retryAfterMs: wait })
  if (AUTH_ERRORS.has(code)) return new ProviderError('auth', code, { code })
  if (PASSING_ERRORS.has(code)) return new ProviderError('unavailable', code, { code })
  const refusal = Object.hasOwn(REFUSALS, code) ? (REFUSALS[code] ?? null) : null
  return new ProviderError('rejected', code, { code, refusal })
}

/** What every part of a run needs to reach Slack. */
export interface SlackRun {
  session: ProviderSession
  /** Calls a method of the Web API. @throws ProviderError */
  call<Schema extends z.ZodType>(
    method: string,
    schema: Schema,
    given?: Readonly<Record<string, string>>,
  ): Promise<z.output<Schema>>
}

export function createSlackRuns(apiUrl: string): (session: ProviderSession) => SlackRun {
  const rest = createRest(SLACK)
  return (session) => ({
    session,
    call(method, schema, given = {}) {
      const request = {
        url: `${apiUrl}/${method}`,
        method: 'POST',
        body: new URLSearchParams(given),
      } as const
      return rest.json(session, request, schema)
    },
  })
}

/** A page of a list. */
export const Page = z.object({
  response_metadata: z.object({ next_cursor: z.string().optional() }).optional(),
})

/** The pages of a list. @throws ProviderError */
export const pagesOf = <Schema extends z.ZodType<z.output<typeof Page>>>(
  run: SlackRun,
  method: string,
  schema: Schema,
  given: Readonly<Record<string, string>>,
): AsyncGenerator<z.output<Schema>> =>
  followPages(
    (cursor) => run.call(method, schema, { ...given, ...(cursor !== null && { cursor }) }),
    (page) => page.response_metadata?.next_cursor,
  )
