import { Modal, Radio, Select, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { type FormWork, SubmitForm } from '../../ui/submit-form.tsx'
import type { ProviderId } from '../../api/provider-list.ts'
import { KeyScope } from './key-scope.tsx'
import type { KeyAction } from './key-actions.ts'
import { type ActorType, type PresetId, presetOf, PRESETS } from './key-presets.ts'
import { NewKey } from './new-key.tsx'
import { useMintKey } from './use-api-keys.ts'

const ACTOR_TYPES: { value: ActorType; label: string }[] = [
  { value: 'agent', label: 'An agent' },
  { value: 'application', label: 'An application' },
  { value: 'admin', label: 'An admin tool' },
]

/** Creates a key and shows its secret once. Only the button closes the dialog, so that a slip does not lose the secret. */
export function CreateKeyDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const mint = useMintKey()
  const close = (): void => {
    onClose()
    mint.reset()
  }
  const minted = mint.data
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      size="lg"
      title={minted ? `${minted.apiKey.name}: your new key` : 'Create a key'}
      closeOnClickOutside={minted === undefined && !mint.isPending}
      closeOnEscape={minted === undefined}
      withCloseButton={minted === undefined}
    >
      {minted ? (
        <NewKey apiKey={minted.apiKey} secret={minted.secret} onDone={close} />
      ) : (
        <KeyForm work={mint} onSubmit={(key) => mint.mutate(key)} onCancel={close} />
      )}
    </Modal>
  )
}

function KeyForm({
  work,
  onSubmit,
  onCancel,
}: {
  work: FormWork
  onSubmit: (key: Schemas['NewApiKey']) => void
  onCancel: () => void
}) {
  const [name, setName] = useState('')
  const { actorType, setActorType, actions, setActions, preset, choosePreset } = usePermissions()
  const [providers, setProviders] = useState<readonly ProviderId[] | null>(null)
  const submit = (): void => {
    onSubmit({
      name: name.trim(),
      actorType,
      allowedActions: [...actions],
      allowedProviders: providers === null ? null : [...providers],
    })
  }
  const isWhole = name.trim() !== '' && actions.length > 0 && providers?.length !== 0
  return (
    <SubmitForm
      action="Create key"
      work={work}
      isComplete={isWhole}
      gap="lg"
      onSubmit={submit}
      onCancel={onCancel}
    >
      <TextInput
        label="Name"
        description="Identifies the key here and in the audit trail."
        placeholder="Support bot"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        maxLength={200}
        required
        data-autofocus
      />
      <PresetChoice value={preset} onChange={choosePreset} />
      <KeyScope
        actions={actions}
        areActionsShown={preset === 'custom'}
        onActions={setActions}
        providers={providers}
        onProviders={setProviders}
      />
      <Select
        label="Used by"
        description="Shown in the audit trail. Changes no permission."
        data={ACTOR_TYPES}
        value={actorType}
        allowDeselect={false}
        onChange={(value) => setActorType(ACTOR_TYPES.find((type) => type.value === value)?.value ?? 'agent')}
      />
    </SubmitForm>
  )
}

/** The actions and the actor type, from a preset or chosen one by one. */
function usePermissions() {
  const [actorType, setActorType] = useState<ActorType>(PRESETS.reader.actorType)
  const [actions, setActions] = useState<readonly KeyAction[]>(PRESETS.reader.actions)
  const [isByHand, setIsByHand] = useState(false)
  const choosePreset = (id: string): void => {
    const chosen = Object.entries(PRESETS).find(([known]) => known === id)?.[1]
    setIsByHand(chosen === undefined)
    if (chosen === undefined) return
    setActions(chosen.actions)
    setActorType(chosen.actorType)
  }
  const preset = isByHand ? 'custom' : presetOf(actions)
  return { actorType, setActorType, actions, setActions, preset, choosePreset }
}

function PresetChoice({ value, onChange }: { value: PresetId; onChange: (id: string) => void }) {
  return (
    <Radio.Group label="Permissions" value={value} onChange={onChange}>
      <Stack gap="xs" mt="xs">
        {Object.entries(PRESETS).map(([id, { name, text }]) => (
          <Radio key={id} value={id} label={name} description={text} />
        ))}
        <Radio value="custom" label="Custom" description="Choose each action yourself." />
      </Stack>
    </Radio.Group>
  )
}
