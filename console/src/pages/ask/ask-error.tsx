import { Button, Group, Stack } from '@mantine/core'
import type { ApiError } from '../../api/errors.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { ErrorNotice } from '../../ui/error-state.tsx'
import { ButtonLink } from '../../ui/links.tsx'

/** The service's error message, with a fix. */
export function AskError({ error, onAgain }: { error: ApiError; onAgain: () => void }) {
  const { isAdmin } = useWorkspace()
  const isOfThePlan = error.code === 'quota_exceeded' || error.status === 402
  return (
    <Stack gap="sm" mt="sm">
      <ErrorNotice error={error} />
      <Group gap="sm">
        <Button variant="default" onClick={onAgain}>
          Try again
        </Button>
        {isOfThePlan && isAdmin && (
          <ButtonLink to="/billing" variant="default">
            See the plan
          </ButtonLink>
        )}
      </Group>
    </Stack>
  )
}
