import { Alert, Button, Code, Group, Text } from '@mantine/core'
import { CircleAlert } from 'lucide-react'
import type { ApiError } from '../api/errors.ts'
import { CopyButton } from './copy-button.tsx'
import { formatNumber } from './format.ts'

/** The service's message and the request ID to report to the operator. */
export function ErrorNotice({ error }: { error: ApiError }) {
  // The message of a single fault is the error's own.
  const issues = error.issues.filter(({ message }) => message !== error.message)
  return (
    <Alert color="red" icon={<CircleAlert size={18} aria-hidden />} title={error.message} role="alert">
      {issues.length > 0 && (
        <ul>
          {issues.map(({ path, message }) => (
            <li key={`${path} ${message}`}>{message}</li>
          ))}
        </ul>
      )}
      {error.requestId !== null && (
        <Group gap={6} wrap="wrap">
          <Text size="sm" component="span">
            Request <Code>{error.requestId}</Code>
          </Text>
          <CopyButton value={error.requestId} label="Copy the request ID" />
        </Group>
      )}
    </Alert>
  )
}

/** Replaces data that failed to load. */
export function ErrorState({ error, onRetry }: { error: ApiError; onRetry: () => void }) {
  return (
    <div>
      <ErrorNotice error={error} />
      <Button variant="default" mt="md" onClick={onRetry}>
        Try again
      </Button>
    </div>
  )
}

/** Shown below a truncated list. */
export function TooMany({ shown, hint }: { shown: number; hint: string }) {
  return (
    <Text c="dimmed" size="sm" p="md">
      The first {formatNumber(shown)} are shown. {hint}
    </Text>
  )
}
