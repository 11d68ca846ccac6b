import { Group, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './turn-head.module.css'

/** A question of a thread, above its answer. */
export function TurnHead({
  question,
  text,
  action,
}: {
  question: string
  text?: ReactNode
  action?: ReactNode
}) {
  return (
    <div className={classes.head}>
      <div className={classes.words}>
        <Title order={2} size="h5" className={classes.question ?? ''}>
          {question}
        </Title>
        {text !== undefined && (
          <Text size="sm" c="dimmed" component="div">
            {text}
          </Text>
        )}
      </div>
      <Group gap={4}>{action}</Group>
    </div>
  )
}
