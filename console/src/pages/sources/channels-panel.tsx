import { providerName } from '../../api/provider-list.ts'
import { Button, Checkbox, Group, Radio, Stack, Text, TextInput } from '@mantine/core'
import { Hash, Lock, Search } from 'lucide-react'
import { useState } from 'react'
import { type Schemas, unwrap } from '../../api/client.ts'
import type { ApiError } from '../../api/errors.ts'
import { useRead } from '../../data/use-api.ts'
import { ErrorNotice, TooMany } from '../../ui/error-state.tsx'
import { count } from '../../ui/format.ts'
import { Panel } from '../../ui/panel.tsx'
import { Reading } from '../../ui/reading.tsx'
import classes from './channels-panel.module.css'
import type { Source } from './source-words.ts'
import { useStartRun } from './use-runs.ts'
import { useChangeSource } from './use-source-changes.ts'

type Channel = Schemas['SlackChannel']

const SHOWN_MAX = 100
/** The service waits that long. */
const FIRST_SYNC =
  'The first sync starts when you save, or after 15 minutes with all channels the bot is a member of.'
/** The service's limit. */
const ALLOWED_MAX = 1_000

/**
 * The channels to read: all that the bot is a member of, or chosen ones.
 * `isNew`: the account has just been connected, so the form starts with the choice. `isWaiting`: the first sync starts
 * with it.
 */
export function ChannelsPanel({
  source,
  isNew = false,
  isWaiting = false,
}: {
  source: Source
  isNew?: boolean
  isWaiting?: boolean
}) {
  const channels = useRead(['channels', source.id], async (api, signal) => {
    const params = { path: { id: source.id } }
    return (await unwrap(api.GET('/v1/console/sources/{id}/channels', { params, signal }))).channels
  })
  // Above the form, which remounts when the list changes, so that an error stays visible.
  const change = useChangeSource(source.id)
  const run = useStartRun(source.id)
  const save = (channelAllowlist: string[] | null): void =>
    change.mutate({ channelAllowlist }, { onSuccess: () => run.mutate({ fullResync: false }) })
  return (
    <Panel
      title={isNew ? `Choose the channels of ${source.displayName}` : 'Channels'}
      text={`The bot joins the public channels you choose. Invite it to private ones in ${providerName(source.provider) ?? source.provider}.`}
    >
      <Reading query={channels}>
        {(rows) => (
          <ChannelForm
            key={JSON.stringify(source.channelAllowlist)}
            saved={source.channelAllowlist}
            channels={rows}
            isWaiting={isWaiting}
            startsChosen={isNew || source.channelAllowlist !== null}
            isSaving={change.isPending || run.isPending}
            error={change.error ?? run.error}
            onSave={save}
          />
        )}
      </Reading>
      <Text size="sm" role="status" className={classes.saved ?? ''}>
        {change.isSuccess && run.isSuccess && 'Saved. The sync of these channels has started.'}
      </Text>
    </Panel>
  )
}

function ChannelForm({
  saved,
  channels,
  isWaiting,
  startsChosen,
  isSaving,
  error,
  onSave,
}: {
  saved: readonly string[] | null
  channels: readonly Channel[]
  isWaiting: boolean
  startsChosen: boolean
  isSaving: boolean
  error: ApiError | null
  onSave: (channelAllowlist: string[] | null) => void
}) {
  const [isChosen, setIsChosen] = useState(startsChosen)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(saved))
  const next = isChosen ? [...chosen] : null
  const isSame = !isWaiting && isSaved(next, saved)
  const toggle = (ids: readonly string[], isAdded: boolean): void => {
    const changed = new Set(chosen)
    for (const id of ids) {
      if (isAdded) changed.add(id)
      else changed.delete(id)
    }
    setChosen(changed)
  }
  return (
    <Stack gap="md">
      <Radio.Group
        aria-label="Channels to sync"
        value={isChosen ? 'chosen' : 'all'}
        onChange={(value) => setIsChosen(value === 'chosen')}
      >
        <Group gap="lg">
          <Radio value="all" label="All channels the bot is a member of" />
          <Radio value="chosen" label="Only these channels" />
        </Group>
      </Radio.Group>
      {isChosen && <ChannelChoice channels={channels} chosen={chosen} onToggle={toggle} />}
      {error && <ErrorNotice error={error} />}
      {!isSame && (
        <Group gap="sm">
          <Button
            size="xs"
            onClick={() => onSave(next)}
            loading={isSaving}
            disabled={isChosen && (chosen.size === 0 || chosen.size > ALLOWED_MAX)}
          >
            Save and sync
          </Button>
          <Text size="sm" c="dimmed">
            {isWaiting
              ? FIRST_SYNC
              : isChosen
                ? `${count(chosen.size, 'channel')} chosen. Items of other channels are deleted.`
                : 'Items of channels the bot is not a member of are deleted.'}
          </Text>
        </Group>
      )}
    </Stack>
  )
}

function ChannelChoice({
  channels,
  chosen,
  onToggle,
}: {
  channels: readonly Channel[]
  chosen: ReadonlySet<string>
  onToggle: (ids: readonly string[], isAdded: boolean) => void
}) {
  const [words, setWords] = useState('')
  const wanted = words.trim().toLowerCase().replace(/^#/, '')
  const found = channels.filter(({ name }) => name.toLowerCase().includes(wanted))
  const known = new Set(channels.map(({ id }) => id))
  const gone = [...chosen].filter((id) => !known.has(id)).length
  const chosenOfFound = found.filter(({ id }) => chosen.has(id)).length
  return (
    <div>
      <TextInput
        aria-label="Search channels"
        placeholder={`Search ${count(channels.length, 'channel')}`}
        leftSection={<Search size={15} aria-hidden />}
        value={words}
        onChange={(event) => setWords(event.currentTarget.value)}
      />
      {found.length > 1 && (
        <Checkbox
          mt="sm"
          ml={4}
          label={wanted === '' ? `Select all ${found.length}` : `Select all ${found.length} found`}
          checked={chosenOfFound === found.length}
          indeterminate={chosenOfFound > 0 && chosenOfFound < found.length}
          onChange={(event) =>
            onToggle(
              found.map(({ id }) => id),
              event.currentTarget.checked,
            )
          }
        />
      )}
      <ul className={classes.list} aria-label="Channels">
        {found.slice(0, SHOWN_MAX).map(({ id, name, isPrivate, memberCount }) => (
          <li key={id}>
            <Checkbox
              checked={chosen.has(id)}
              onChange={(event) => onToggle([id], event.currentTarget.checked)}
              label={
                <span className={classes.channel}>
                  {isPrivate ? <Lock size={13} aria-label="private" /> : <Hash size={13} aria-hidden />}
                  {name}
                  <span className={classes.members}>{count(memberCount, 'person', 'people')}</span>
                </span>
              }
            />
          </li>
        ))}
      </ul>
      {found.length === 0 && (
        <Text size="sm" c="dimmed">
          {channels.length === 0 ? 'The bot sees no channel yet.' : 'No channel has that name.'}
        </Text>
      )}
      {found.length > SHOWN_MAX && <TooMany shown={SHOWN_MAX} hint="Search for the others." />}
      {gone > 0 && (
        <Text size="sm" c="dimmed">
          {`${count(gone, 'chosen channel')} can no longer be seen by the bot.`}
        </Text>
      )}
    </div>
  )
}

function isSaved(next: readonly string[] | null, saved: readonly string[] | null): boolean {
  if (next === null || saved === null) return next === saved
  const before = new Set(saved)
  return next.length === before.size && next.every((id) => before.has(id))
}
