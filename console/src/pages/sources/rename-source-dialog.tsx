import { Modal, TextInput } from '@mantine/core'
import { useState } from 'react'
import { SubmitForm } from '../../ui/submit-form.tsx'
import { useReturnFocus } from '../../ui/use-return-focus.ts'
import type { Source } from './source-words.ts'
import { useChangeSource } from './use-source-changes.ts'

const NAME_MAX = 200

export function RenameSourceDialog({ source, onClose }: { source: Source; onClose: () => void }) {
  useReturnFocus()
  const [name, setName] = useState(source.displayName)
  const change = useChangeSource(source.id)
  return (
    <Modal opened onClose={onClose} title="Rename the source">
      <SubmitForm
        action="Rename"
        work={change}
        isComplete={name.trim() !== ''}
        onSubmit={() => change.mutate({ displayName: name.trim() }, { onSuccess: onClose })}
        onCancel={onClose}
      >
        <TextInput
          label="Name"
          value={name}
          maxLength={NAME_MAX}
          onChange={(event) => setName(event.currentTarget.value)}
          data-autofocus
          required
        />
      </SubmitForm>
    </Modal>
  )
}
