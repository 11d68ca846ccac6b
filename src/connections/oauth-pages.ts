import { type Html, html, page } from '../http/page.ts'
import type { AppError } from '../kernel/errors.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import { findProvider } from '../providers/index.ts'

/** What the user confirms in a browser other than the one that began the flow. */
export interface ConnectQuestion {
  provider: ProviderId
  /** The workspace's name, as its members set it. */
  workspace: string
  /** The requester's name at the identity provider. */
  person: { name: string | null; email: string | null }
  /** The form's target. */
  action: string
  /** The sealed state and code. */
  confirmation: string
}

/** Asks before anything is stored: an attacker may have begun the flow to get the victim's account. */
export function questionPage({ provider, workspace, person, action, confirmation }: ConnectQuestion): Html {
  const name = providerName(provider)
  return page(
    `Connect ${name}?`,
    html`<p>
        <strong><bdi>${nameOf(person)}</bdi></strong> asked, in another browser or from the command line, to
        connect this ${name} account to the workspace <strong><bdi>${workspace}</bdi></strong
        >: the account that just authorized access.
      </p>
      <p>
        Everyone who can search that workspace will find what the account can read. Continue only if you know
        this person and this workspace.
      </p>
      <form method="post" action="${action}">
        <input type="hidden" name="confirmation" value="${confirmation}" />
        <button>Connect ${name}</button>
      </form>
      <p class="quiet">
        Nothing is connected or stored yet. If you did not expect this, close this page. It expires in ten
        minutes.
      </p>`,
  )
}

function providerName(provider: ProviderId | undefined): string {
  return provider === undefined ? 'The account' : findProvider(provider).name
}

export function failedPage({ code, message }: AppError, provider: ProviderId | undefined): Html {
  const reason =
    code === 'malformed_state'
      ? 'This address was already used, is over ten minutes old, or did not come from this service.'
      : `${message.replace(/\.$/, '')}.`
  return page(
    `${providerName(provider)} was not connected`,
    html`<p>${reason}</p>
      <p>
        Nothing was stored. Start again in the console, under Sources, or with
        <code>npm run memory -- connect ${provider ?? 'PROVIDER'}</code>. You can close this page.
      </p>`,
  )
}

function nameOf({ name, email }: ConnectQuestion['person']): string {
  if (name !== null && email !== null) return `${name} (${email})`
  return name ?? email ?? 'A person without a name'
}
