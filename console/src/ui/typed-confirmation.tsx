import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import type { ApiError } from '../api/errors.ts'
import { ErrorNotice } from './error-state.tsx'

/** Confirms a large, permanent deletion: the user must type the name. */
export function TypedConfirmation({
  name,
  confirm,
  isBusy,
  error,
  onConfirm,
  onClose,
  isFinal = true,
  children,
}: {
  /** The name to type; null for small deletions, which need none. */
  name: string | null
  /** The verb of the button: "Delete the source". */
  confirm: string
  isBusy: boolean
  error: ApiError | null
  onConfirm: () => void
  onClose: () => void
  /** Whether nothing can undo it. */
  isFinal?: boolean
  /** The effect, including what is deleted. */
  children: ReactNode
}) {
  const [typed, setTyped] = useState('')
  const isSure = name === null || typed.trim() === name.trim()
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (isSure) onConfirm()
  }
  return (
    <form onSubmit={submit}>
      <Stack>
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
        {error && <ErrorNotice error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" color="red.8" disabled={!isSure} loading={isBusy}>
            {confirm}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
