import { Button, Code, Group, Stack } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { KeyRound, ScrollText } from 'lucide-react'
import { useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { BackLink } from '../../ui/back-link.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { EndOfList } from '../../ui/end-of-list.tsx'
import { count, formatNumber } from '../../ui/format.ts'
import { ButtonLink } from '../../ui/links.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Reading } from '../../ui/reading.tsx'
import { formatDate, formatDateTime } from '../../ui/relative-time.tsx'
import { Stat, Stats } from '../../ui/stat.tsx'
import { useActors } from '../audit/use-actors.ts'
import { useUsage } from '../billing/use-billing.ts'
import { KeyFact, KeyFacts } from './key-facts.tsx'
import { type Act, type ShownKey, shownKey } from './key-history.ts'
import { KeyRate, useKeyRates } from './key-rate.tsx'
import { KeyUsagePanel } from './key-usage-panel.tsx'
import { LastUsed } from './last-used.tsx'
import { RequestTable } from './request-table.tsx'
import { RevokeKeyDialog } from './revoke-key-dialog.tsx'
import { UseKeyDialog } from './use-key-dialog.tsx'
import { useApiKeys } from './use-api-keys.ts'
import { useKeyEvents } from './use-key-events.ts'
import { useRequests } from './use-requests.ts'
import { REQUESTS_KEPT_DAYS } from '../../../../src/kernel/retention.ts'

type ApiKey = Schemas['ApiKey']

const route = getRouteApi('/admins/developers/keys/$keyId')

/** One API key: its scope, its use and its requests, also after it was revoked. */
export function KeyPage() {
  const { keyId } = route.useParams()
  const keys = useApiKeys()
  const events = useKeyEvents(keyId)
  return (
    <>
      <BackLink to="/developers">Developers</BackLink>
      <Reading query={keys}>
        {(rows) => (
          <Reading query={events}>
            {(history) => {
              const live = rows.find(({ id }) => id === keyId)
              const key = shownKey(keyId, live, history)
              return key === null ? <NoSuchKey /> : <Details key={keyId} apiKey={key} />
            }}
          </Reading>
        )}
      </Reading>
    </>
  )
}

function Details({ apiKey }: { apiKey: ShownKey }) {
  const { id, name, live } = apiKey
  return (
    <>
      <PageHeader
        title={name}
        text={live === null ? 'Revoked API key' : 'API key'}
        action={live && <KeyActions apiKey={live} />}
      />
      <Stack gap="lg">
        {live && <Figures apiKey={live} />}
        <ScopePanel apiKey={apiKey} />
        <KeyUsagePanel apiKeyId={id} />
        <KeyRequests id={id} />
      </Stack>
    </>
  )
}

function KeyActions({ apiKey }: { apiKey: ApiKey }) {
  const [open, setOpen] = useState<'use' | 'revoke' | null>(null)
  const close = (): void => setOpen(null)
  return (
    <Group gap="xs">
      <Button variant="default" onClick={() => setOpen('revoke')}>
        Revoke
      </Button>
      <Button onClick={() => setOpen('use')}>Use this key</Button>
      <UseKeyDialog apiKey={open === 'use' ? apiKey : null} onClose={close} />
      <RevokeKeyDialog apiKey={open === 'revoke' ? apiKey : null} onClose={close} />
    </Group>
  )
}

function Figures({ apiKey }: { apiKey: ApiKey }) {
  const { id, name, lastUsedAt } = apiKey
  const days = useUsage().data?.days.filter(({ apiKeyId }) => apiKeyId === id)
  const sum = (of: 'requests' | 'credits'): number => (days ?? []).reduce((all, day) => all + day[of], 0)
  return (
    <Stats>
      <Stat label="Last used" value={<LastUsed apiKey={apiKey} />}>
        {lastUsedAt === null ? 'No request so far' : formatDate(lastUsedAt)}
      </Stat>
      <Stat label="Answers in this period" value={days === undefined ? '–' : formatNumber(sum('requests'))}>
        {days === undefined ? '\u00a0' : count(sum('credits'), 'credit')}
      </Stat>
      <Stat label="Last minute" value={<KeyRate id={id} name={name} rates={useKeyRates()} />} />
    </Stats>
  )
}

function ScopePanel({ apiKey }: { apiKey: ShownKey }) {
  const { id, prefix, live, created, revoked } = apiKey
  return (
    <Panel
      title="Key"
      action={
        <ButtonLink to="/audit" search={{ actor: id }} size="xs" variant="default">
          See its audit trail
        </ButtonLink>
      }
    >
      <KeyFacts apiKey={apiKey}>
        {live?.requiresUser && <KeyFact name="On behalf of">Every request must name a person</KeyFact>}
        <KeyFact name="Secret">
          <Code>{prefix}…</Code>
        </KeyFact>
        <KeyFact name="Created">{created && <ActOf act={created} />}</KeyFact>
        <KeyFact name="Expires">{live && 'Never; it works until you revoke it'}</KeyFact>
        <KeyFact name="Revoked">{revoked && <ActOf act={revoked} />}</KeyFact>
      </KeyFacts>
    </Panel>
  )
}

function ActOf({ act: { at, event } }: { act: Act }) {
  const actors = useActors()
  const by = event === null ? 'the service when it started' : actors.isReady ? actors.nameOf(event) : '…'
  return `${formatDateTime(at)} by ${by}`
}

function KeyRequests({ id }: { id: string }) {
  const requests = useRequests({ key: id })
  return (
    <Panel
      title="Recent requests"
      text={`The last ${REQUESTS_KEPT_DAYS} days, without contents.`}
      isFlush
      action={
        <ButtonLink to="/developers" search={{ tab: 'requests', key: id }} size="xs" variant="default">
          Filter by day or status
        </ButtonLink>
      }
    >
      <Reading query={requests}>
        {() =>
          requests.rows.length === 0 ? (
            <EmptyState
              icon={ScrollText}
              title={`No requests in the last ${REQUESTS_KEPT_DAYS} days`}
              text="Requests appear here once an agent or a program uses the key."
            />
          ) : (
            <>
              <RequestTable requests={requests.rows} isOfKey />
              <EndOfList pages={requests} isAsked />
            </>
          )
        }
      </Reading>
    </Panel>
  )
}

function NoSuchKey() {
  return (
    <>
      <PageHeader title="API key not found" />
      <Panel>
        <EmptyState
          icon={KeyRound}
          title="This API key does not exist"
          text="The link may be incomplete, or the key belongs to another workspace."
          action={
            <ButtonLink to="/developers" variant="default">
              See all keys
            </ButtonLink>
          }
        />
      </Panel>
    </>
  )
}
