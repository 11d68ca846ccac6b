import { Button, Checkbox, Group, Modal, SimpleGrid, Stack, Switch, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { ErrorNotice } from '../../ui/error-state.tsx'
import { useSaveWebhook, type Webhook } from './use-webhooks.ts'
import { SigningSecret } from './signing-secret.tsx'
import { EVENT_TYPES, EVENTS } from './webhook-words.ts'

/** Edits the given webhook, or creates one and shows its secret once. */
export function WebhookDialog({
  isOpen,
  webhook,
  onClose,
}: {
  isOpen: boolean
  webhook: Webhook | null
  onClose: () => void
}) {
  const save = useSaveWebhook()
  const close = (): void => {
    onClose()
    save.reset()
  }
  const secret = save.data?.secret ?? null
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      size="lg"
      title={secret === null ? (webhook === null ? 'Add a webhook' : 'Edit the webhook') : 'Signing secret'}
      closeOnClickOutside={secret === null && !save.isPending}
      closeOnEscape={secret === null}
      withCloseButton={secret === null}
    >
      {secret === null ? (
        <WebhookForm
          webhook={webhook}
          isBusy={save.isPending}
          onCancel={close}
          onSubmit={(body) =>
            save.mutate(
              { id: webhook?.id ?? null, body },
              { onSuccess: (saved) => (saved.secret === null ? close() : undefined) },
            )
          }
        >
          {save.error && <ErrorNotice error={save.error} />}
        </WebhookForm>
      ) : (
        <SigningSecret secret={secret} onDone={close} />
      )}
    </Modal>
  )
}

function WebhookForm({
  webhook,
  isBusy,
  onCancel,
  onSubmit,
  children,
}: {
  webhook: Webhook | null
  isBusy: boolean
  onCancel: () => void
  onSubmit: (body: Schemas['NewWebhook']) => void
  children: ReactNode
}) {
  const [url, setUrl] = useState(webhook?.url ?? '')
  const [description, setDescription] = useState(webhook?.description ?? '')
  const [events, setEvents] = useState<readonly string[] | null>(webhook?.eventTypes ?? null)
  const eventTypes = events === null ? null : EVENT_TYPES.filter((type) => events.includes(type))
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit({ url: url.trim(), description: description.trim() || null, eventTypes })
      }}
    >
      <Stack gap="lg">
        <TextInput
          label="Address"
          description="A public https address."
          placeholder="https://hooks.example.com/memory"
          type="url"
          value={url}
          onChange={(event) => setUrl(event.currentTarget.value)}
          maxLength={2_000}
          required
          data-autofocus
        />
        <TextInput
          label="Description"
          value={description}
          onChange={(event) => setDescription(event.currentTarget.value)}
          maxLength={200}
        />
        <EventChoice value={eventTypes} onChange={setEvents} />
        {children}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={isBusy} disabled={url.trim() === '' || eventTypes?.length === 0}>
            {webhook === null ? 'Add webhook' : 'Save'}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function EventChoice({
  value,
  onChange,
}: {
  value: readonly string[] | null
  onChange: (events: readonly string[] | null) => void
}) {
  return (
    <Stack gap="xs">
      <Switch
        label="All events"
        description="Including events added later."
        checked={value === null}
        onChange={(event) => onChange(event.currentTarget.checked ? null : ['source.error', 'source.active'])}
      />
      {value !== null && (
        <Checkbox.Group
          label="Events"
          value={[...value]}
          onChange={onChange}
          error={value.length === 0 ? 'Choose at least one.' : undefined}
        >
          <SimpleGrid cols={{ base: 1, xs: 2 }} mt="xs" spacing="sm">
            {EVENT_TYPES.map((type) => (
              <Checkbox key={type} value={type} label={type} description={EVENTS[type]} />
            ))}
          </SimpleGrid>
        </Checkbox.Group>
      )}
    </Stack>
  )
}
