import { Button, Text } from '@mantine/core'
import type { Schemas } from '../../api/client.ts'
import { providerFacts, type ProviderId, providerName } from '../../api/provider-list.ts'
import { ErrorNotice } from '../../ui/error-state.tsx'
import { ProviderIcon } from '../../ui/provider.tsx'
import { Status } from '../../ui/status.tsx'
import { useConnecting } from './connect-dialog.tsx'
import classes from './connector-list.module.css'
import { useAskForAccess } from './use-connect.ts'

export interface Connector {
  provider: ProviderId
  offered: boolean
  access: 'open' | 'required' | 'granted' | Schemas['ConnectorAccessRequest']['status']
  grantable: boolean
}

/** The providers, each with the next step to connect an account. */
export function ConnectorList({ connectors }: { connectors: readonly Connector[] }) {
  return (
    <ul className={classes.list}>
      {connectors.map((connector) => (
        <li
          key={connector.provider}
          className={classes.connector}
          aria-label={providerName(connector.provider)}
        >
          <ConnectorRow connector={connector} />
        </li>
      ))}
    </ul>
  )
}

function ConnectorRow({ connector }: { connector: Connector }) {
  const { provider, grantable } = connector
  const [connect, ask] = [useConnecting(provider, { allowFirst: grantable }), useAskForAccess(provider)]
  const error = connect.error ?? ask.error
  const name = providerName(provider) ?? provider
  return (
    <>
      <ProviderIcon id={provider} />
      <div className={classes.words}>
        <span className={classes.name}>{name}</span>
        <Text size="sm" c="dimmed">
          {wordsOf(connector)}
        </Text>
      </div>
      <NextStep
        connector={connector}
        name={name}
        onConnect={connect.begin}
        onAsk={() => ask.mutate()}
        isBusy={connect.isPending || ask.isPending}
      />
      {connect.dialog}
      {error && (
        <div className={classes.error}>
          <ErrorNotice error={error} />
        </div>
      )}
    </>
  )
}

function NextStep({
  connector: { offered, access, grantable },
  name,
  onConnect,
  onAsk,
  isBusy,
}: {
  connector: Connector
  name: string
  onConnect: () => void
  onAsk: () => void
  isBusy: boolean
}) {
  if (!offered) return <Status tone="off">Not set up</Status>
  if (grantable || isOpen(access))
    return (
      <Button
        size="xs"
        onClick={onConnect}
        loading={isBusy}
        aria-label={`${grantable ? 'Allow and connect' : 'Connect'} ${name}`}
      >
        {grantable ? 'Allow and connect' : 'Connect'}
      </Button>
    )
  switch (access) {
    case 'pending':
      return <Status tone="waiting">Access requested</Status>
    case 'required':
    case 'denied':
      return (
        <Button
          size="xs"
          variant="default"
          onClick={onAsk}
          loading={isBusy}
          aria-label={`Request access to ${name}`}
        >
          {access === 'denied' ? 'Request again' : 'Request access'}
        </Button>
      )
  }
}

function isOpen(access: Connector['access']): access is 'open' | 'granted' {
  return access === 'open' || access === 'granted'
}

function wordsOf({ provider, offered, access, grantable }: Connector): string {
  if (!offered) return 'The operator of this service has not set its credentials yet.'
  if (grantable || isOpen(access)) return providerFacts(provider).brings
  switch (access) {
    case 'pending':
      return 'Requested. The operator of this service decides.'
    case 'required':
      return `${providerFacts(provider).brings} Needs the permission of the operator of this service.`
    case 'denied':
      return 'The operator of this service denied your request.'
  }
}
