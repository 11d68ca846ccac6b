import { Button, Group, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import type { ApiError } from '../api/errors.ts'
import { ErrorNotice } from './error-state.tsx'

/** A form's work, as `useMutation` returns it. */
export interface FormWork {
  isPending: boolean
  error: ApiError | null
}

/** Fields above the error of the last attempt, then the buttons. */
export function SubmitForm({
  action,
  work,
  isComplete = true,
  isDeletion = false,
  gap,
  onSubmit,
  onCancel,
  children,
}: {
  /** The verb of the button. */
  action: string
  work: FormWork
  isComplete?: boolean
  isDeletion?: boolean
  gap?: 'lg'
  onSubmit: () => void
  onCancel?: () => void
  children: ReactNode
}) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (isComplete) onSubmit()
      }}
    >
      <Stack gap={gap ?? 'md'}>
        {children}
        {work.error && <ErrorNotice error={work.error} />}
        <Group justify="flex-end">
          {onCancel && (
            <Button variant="default" onClick={onCancel}>
              Cancel
            </Button>
          )}
          <Button
            type="submit"
            loading={work.isPending}
            disabled={!isComplete}
            {...(isDeletion ? { color: 'red.8' } : {})}
          >
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
