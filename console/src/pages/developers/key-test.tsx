import { Button, Code, Group, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { QUERY_CHARACTERS_MAX } from '../../../../src/kernel/limits.ts'
import { ErrorNotice } from '../../ui/error-state.tsx'
import { Status } from '../../ui/status.tsx'
import classes from './key-test.module.css'
import { hitsInWords, isSecret, scopeOf } from './key-words.ts'
import { QUESTION } from './key-actions.ts'
import { type KeyOutcome, useKeyTest } from './use-key-test.ts'

const FORBIDDEN = 403

/** Searches with a key, as an agent would, and shows the results. `children`: the field for the secret. */
export function KeyTest({
  secret,
  about,
  onTest,
  children,
}: {
  secret: string
  /** Shown with the result of a live key. */
  about?: ReactNode
  onTest?: () => void
  children?: ReactNode
}) {
  const { isBusy, outcome, test } = useKeyTest(secret)
  const [query, setQuery] = useState(QUESTION)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    onTest?.()
    if (isSecret(secret)) void test(query.trim())
  }
  return (
    <Stack gap="sm">
      <form onSubmit={submit}>
        <Stack gap="md">
          {children}
          <Group gap="sm" align="end">
            <TextInput
              label="Search for"
              description="One search with the key. Costs 1 credit if the key may search."
              value={query}
              onChange={(event) => setQuery(event.currentTarget.value)}
              maxLength={QUERY_CHARACTERS_MAX}
              flex="1 1 14rem"
            />
            <Button
              type="submit"
              variant="default"
              loading={isBusy}
              disabled={query.trim() === '' || secret === ''}
            >
              Test this key
            </Button>
          </Group>
        </Stack>
      </form>
      <div role="status" aria-label="Test result">
        {outcome && <Outcome outcome={outcome} />}
        {outcome && isLive(outcome) && about}
      </div>
    </Stack>
  )
}

/** Whether the service knows the key. */
function isLive(outcome: KeyOutcome): boolean {
  return outcome.is === 'served' || outcome.error.status === FORBIDDEN
}

function Outcome({ outcome }: { outcome: KeyOutcome }) {
  if (outcome.is === 'refused') {
    const { error } = outcome
    return (
      <Stack gap="xs">
        <Text size="sm">
          <Status tone="bad">The search was refused</Status>{' '}
          <Code>
            {error.status} {error.code}
          </Code>
        </Text>
        <ErrorNotice error={error} />
      </Stack>
    )
  }
  const { hits } = outcome
  return (
    <Stack gap="xs">
      <Text size="sm">
        <Status tone="good">{hitsInWords(hits)}</Status> <Code>200</Code>
      </Text>
      {hits.length > 0 && (
        <ul className={classes.hits}>
          {[...new Map(hits.map((hit) => [hit.sourceItemId, hit])).values()].map((item) => (
            <li key={item.sourceItemId}>
              {item.title} <span className={classes.origin}>{scopeOf(item)}</span>
            </li>
          ))}
        </ul>
      )}
    </Stack>
  )
}
