import { count } from '../../ui/format.ts'
import type { Tone } from '../../ui/status.tsx'
import type { Delivery, EventType, Webhook } from './use-webhooks.ts'

/** A description of each event that a webhook can subscribe to. */
export const EVENTS: Record<EventType, string> = {
  'source.error': 'A source stopped working',
  'source.active': 'A source became active',
  'sync_run.finished': 'A sync run has ended',
  'credits.low': '80% or all of the credits are used',
  'subscription.updated': 'The plan has changed',
  'api_key.created': 'A key was created',
  'api_key.revoked': 'A key was revoked',
  'member.joined': 'A person joined',
  'member.updated': "A member's role has changed",
  'member.removed': 'A member left or was removed',
}

export const EVENT_TYPES = Object.keys(EVENTS).filter((type): type is EventType => type in EVENTS)

export function describeWebhook({ status, disabledReason, failingSince }: Webhook): {
  tone: Tone
  word: string
} {
  if (status === 'active')
    return failingSince === null ? { tone: 'good', word: 'Active' } : { tone: 'waiting', word: 'Failing' }
  return disabledReason === 'person' ? { tone: 'off', word: 'Paused' } : { tone: 'bad', word: 'Disabled' }
}

export function describeDelivery({ status, attempts }: Delivery): { tone: Tone; word: string } {
  switch (status) {
    case 'delivered':
      return { tone: 'good', word: 'Delivered' }
    case 'failed':
      return { tone: 'bad', word: 'Failed' }
    case 'pending':
      return { tone: 'waiting', word: attempts === 0 ? 'Being sent' : 'Waiting for a retry' }
  }
}

/** How often it was sent, unless the first attempt settled it. */
export function describeAttempts({ attempts, nextAttemptAt }: Delivery): string | null {
  const isFirst = attempts === 0 || (attempts === 1 && nextAttemptAt === null)
  return isFirst ? null : count(attempts, 'attempt')
}

const FAULTS: Record<NonNullable<Delivery['error']>, string> = {
  refused: 'The response was not 2xx',
  redirected: 'Redirects are not followed: use the final address',
  gone: 'The response was 410, which disables the webhook',
  timeout: 'No response within 15 seconds',
  connection_failed: 'The connection failed',
  tls_failed: 'The certificate is not valid for the host name',
  name_not_found: 'The host name was not found',
  address_not_allowed: 'Events cannot be delivered to this address',
  secret_unreadable: 'The secret cannot be decrypted: rotate it',
  webhook_disabled: 'The webhook was disabled when it was due',
}

/** The HTTP status of the response, or why there is none. */
export function describeAnswer({ responseStatus, error }: Delivery): string {
  const status = responseStatus === null ? '' : `HTTP ${responseStatus}`
  if (error === null) return status || 'Not yet'
  return [status, FAULTS[error]].filter((part) => part !== '').join(': ')
}
