import { Stack, Tabs } from '@mantine/core'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { hasChannels } from '../../api/provider-list.ts'
import { formatNumber } from '../../ui/format.ts'
import { ChannelsPanel } from './channels-panel.tsx'
import { ItemsPanel } from './items-panel.tsx'
import { SOURCE_TABS, type SourceTab } from './items-search.ts'
import { PolicyPanel } from './policy-panel.tsx'
import { ReadersPanel } from './readers-panel.tsx'
import { RunsPanel } from './runs-panel.tsx'
import { SkippedPanel } from './skipped-panel.tsx'
import classes from './source-tabs.module.css'
import { isPushOnly, type Source } from './source-words.ts'
import type { useRunsOf } from './use-runs.ts'

const route = getRouteApi('/admins/sources/$sourceId')

const LABELS: Record<SourceTab, string> = {
  skipped: 'Skipped',
  history: 'History',
  channels: 'Channels',
  permissions: 'Permissions',
}

/** The tabs of a source: its items first, then its account. */
export function SourceTabs({ source, runs }: { source: Source; runs: ReturnType<typeof useRunsOf> }) {
  const { tab: wanted } = route.useSearch()
  const navigate = useNavigate()
  const tabs = SOURCE_TABS.filter((one) => hasTab(source, one))
  const tab = tabs.find((one) => one === wanted) ?? 'items'
  const choose = (chosen: string | null): void => {
    const next = tabs.find((one) => one === chosen)
    void navigate({
      to: '/sources/$sourceId',
      params: { sourceId: source.id },
      search: next === undefined ? {} : { tab: next },
      replace: true,
      resetScroll: false,
    })
  }
  const { itemsSkipped = 0 } = source
  return (
    <Tabs value={tab} onChange={choose} keepMounted={false}>
      <Tabs.List mb="lg">
        <Tabs.Tab value="items" className={classes.tab ?? ''}>
          Items
        </Tabs.Tab>
        {tabs.map((one) => (
          <Tabs.Tab key={one} value={one} className={classes.tab ?? ''}>
            {one === 'skipped' && itemsSkipped > 0
              ? `${LABELS[one]} ${formatNumber(itemsSkipped)}`
              : LABELS[one]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value="items">
        <ItemsPanel source={source} />
      </Tabs.Panel>
      <Tabs.Panel value="skipped">
        <SkippedPanel source={source} />
      </Tabs.Panel>
      <Tabs.Panel value="history">
        <RunsPanel source={source} runs={runs} />
      </Tabs.Panel>
      <Tabs.Panel value="channels">
        <ChannelsPanel source={source} />
      </Tabs.Panel>
      <Tabs.Panel value="permissions">
        <Stack gap="lg">
          <ReadersPanel source={source} />
          {source.policyHealth !== null && <PolicyPanel source={source} health={source.policyHealth} />}
        </Stack>
      </Tabs.Panel>
    </Tabs>
  )
}

function hasTab(source: Source, tab: SourceTab): boolean {
  if (tab === 'permissions') return true
  return !isPushOnly(source) && (tab !== 'channels' || hasChannels(source.provider))
}
