import { Alert } from '@mantine/core'
import { hasChannels, providerName } from '../api/provider-list.ts'

/** By OAuth error code (RFC 6749, 4.1.2.1). No text of the URL is shown, because anyone can write it. */
const FAILURES: ReadonlyMap<string, string> = new Map([
  ['access_denied', 'Nothing was stored, because access was not allowed at the provider.'],
  ['server_error', 'Nothing was stored, because the provider failed. Try again later.'],
  ['temporarily_unavailable', 'Nothing was stored, because the provider is overloaded. Try again later.'],
])
const OTHER_FAILURE =
  "Nothing was stored, because the provider refused the request. The operator can check the app's settings there."

interface Outcome {
  isGood: boolean
  title: string
  text: string
}

/** The outcome in the URL after a redirect from a provider or the payment processor, which may have confirmed a plan. */
export function OutcomeNotice({ isConfirmed = false }: { isConfirmed?: boolean }) {
  const outcome = outcomeOf(new URLSearchParams(globalThis.location.search), isConfirmed)
  if (outcome === null) return null
  return (
    <Alert color={outcome.isGood ? 'accent' : 'red'} title={outcome.title} role="status">
      {outcome.text}
    </Alert>
  )
}

function outcomeOf(query: URLSearchParams, isConfirmed: boolean): Outcome | null {
  const id = query.get('provider')
  const provider = providerName(id) ?? 'The account'
  const error = query.get('error')
  if (query.has('connected'))
    return {
      isGood: true,
      title: `${provider} is connected`,
      text: hasChannels(id)
        ? 'Choose the channels to sync. Items are searchable as they arrive.'
        : 'It syncs automatically. Items are searchable as they arrive.',
    }
  if (error !== null)
    return {
      isGood: false,
      title: `${provider} was not connected`,
      text: FAILURES.get(error) ?? OTHER_FAILURE,
    }
  switch (query.get('checkout')) {
    case 'done':
      if (isConfirmed)
        return { isGood: true, title: 'Your plan is active', text: 'Questions and searches are answered.' }
      return {
        isGood: true,
        title: 'Your plan is being activated',
        text: 'It is active as soon as the payment processor confirms it, usually within seconds.',
      }
    case 'canceled':
      return { isGood: false, title: 'Nothing was bought', text: 'No card was charged.' }
    default:
      return null
  }
}
