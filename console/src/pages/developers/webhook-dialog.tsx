import { Checkbox, Modal, SimpleGrid, Stack, Switch, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { type FormWork, SubmitForm } from '../../ui/submit-form.tsx'
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
          work={save}
          onCancel={close}
          onSubmit={(body) =>
            save.mutate(
              { id: webhook?.id ?? null, body },
              { onSuccess: (saved) => (saved.secret === null ? close() : undefined) },
            )
          }
        />
      ) : (
        <SigningSecret secret={secret} onDone={close} />
      )}
    </Modal>
  )
}

function WebhookForm({
  webhook,
  work,
  onCancel,
  onSubmit,
}: {
  webhook: Webhook | null
  work: FormWork
  onCancel: () => void
  onSubmit: (body: Schemas['NewWebhook']) => void
}) {
  const [url, setUrl] = useState(webhook?.url ?? '')
  const [description, setDescription] = useState(webhook?.description ?? '')
  const [events, setEvents] = useState<readonly string[] | null>(webhook?.eventTypes ?? null)
  const eventTypes = events === null ? null : EVENT_TYPES.filter((type) => events.includes(type))
  return (
    <SubmitForm
      action={webhook === null ? 'Add webhook' : 'Save'}
      work={work}
      isComplete={url.trim() !== '' && eventTypes?.length !== 0}
      gap="lg"
      onSubmit={() => onSubmit({ url: url.trim(), description: description.trim() || null, eventTypes })}
      onCancel={onCancel}
    >
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
    </SubmitForm>
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
