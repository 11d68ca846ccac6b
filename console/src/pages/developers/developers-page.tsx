import { Button, Stack, Tabs } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { PageHeader } from '../../ui/page-header.tsx'
import classes from './developers-page.module.css'
import { CreateKeyDialog } from './create-key-dialog.tsx'
import { readDevelopersSearch, type RequestFilters } from './developers-search.ts'
import { KeyUsagePanel } from './key-usage-panel.tsx'
import { KeysPanel } from './keys-panel.tsx'
import { RequestLogPanel } from './request-log-panel.tsx'
import { WebhooksPanel } from './webhooks-panel.tsx'

const route = getRouteApi('/admins/developers')

/** API keys, webhooks, and the request log. */
export function DevelopersPage() {
  const [isCreating, { open, close }] = useDisclosure(false)
  const { tab = 'keys', ...filters } = readDevelopersSearch({ ...route.useSearch() })
  const navigate = useNavigate()
  const filter = (search: RequestFilters): void =>
    void navigate({ to: '/developers', search: { tab: 'requests', ...search }, replace: true })
  return (
    <>
      <PageHeader
        title="Developers"
        text="API keys and webhooks for your workspace."
        action={<Button onClick={open}>Create a key</Button>}
      />
      <Tabs
        value={tab}
        onChange={(chosen) =>
          void navigate({ to: '/developers', search: chosen === 'requests' ? { tab: chosen } : {} })
        }
        keepMounted={false}
      >
        <Tabs.List mb="lg">
          <Tabs.Tab value="keys" className={classes.tab ?? ''}>
            Keys and webhooks
          </Tabs.Tab>
          <Tabs.Tab value="requests" className={classes.tab ?? ''}>
            Requests and usage
          </Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="keys">
          <Stack gap="lg">
            <KeysPanel onCreate={open} />
            <WebhooksPanel />
          </Stack>
        </Tabs.Panel>
        <Tabs.Panel value="requests">
          <Stack gap="lg">
            <KeyUsagePanel apiKeyId={filters.key} />
            <RequestLogPanel filters={filters} onFilter={filter} />
          </Stack>
        </Tabs.Panel>
      </Tabs>
      <CreateKeyDialog isOpen={isCreating} onClose={close} />
    </>
  )
}
