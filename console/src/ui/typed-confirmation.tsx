import { Text, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { type FormWork, SubmitForm } from './submit-form.tsx'

/** Confirms a large, permanent deletion: the user must type the name. */
export function TypedConfirmation({
  name,
  confirm,
  work,
  onConfirm,
  onClose,
  isFinal = true,
  children,
}: {
  /** The name to type; null for small deletions, which need none. */
  name: string | null
  /** The verb of the button: "Delete the source". */
  confirm: string
  work: FormWork
  onConfirm: () => void
  onClose: () => void
  /** Whether nothing can undo it. */
  isFinal?: boolean
  /** The effect, including what is deleted. */
  children: ReactNode
}) {
  const [typed, setTyped] = useState('')
  const isSure = name === null || typed.trim() === name.trim()
  return (
    <SubmitForm
      action={confirm}
      work={work}
      isComplete={isSure}
      isDeletion
      onSubmit={onConfirm}
      onCancel={onClose}
    >
      {children}
      {isFinal && <Text size="sm">This cannot be undone.</Text>}
      {name !== null && (
        <TextInput
          label={`Type ${name} to confirm`}
          value={typed}
          autoComplete="off"
          onChange={(event) => setTyped(event.currentTarget.value)}
          data-autofocus
        />
      )}
    </SubmitForm>
  )
}
