import { Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { ErrorNotice } from '../../ui/error-state.tsx'
import type { Source } from './source-words.ts'
import { useChangeSource } from './use-source-changes.ts'

const NAME_MAX = 200

export function RenameSourceDialog({ source, onClose }: { source: Source; onClose: () => void }) {
  const [name, setName] = useState(source.displayName)
  const change = useChangeSource(source.id)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    change.mutate({ displayName: name.trim() }, { onSuccess: onClose })
  }
  return (
    <Modal opened onClose={onClose} title="Rename the source">
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label="Name"
            value={name}
            maxLength={NAME_MAX}
            onChange={(event) => setName(event.currentTarget.value)}
            data-autofocus
            required
          />
          {change.error && <ErrorNotice error={change.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={change.isPending} disabled={name.trim() === ''}>
              Rename
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
