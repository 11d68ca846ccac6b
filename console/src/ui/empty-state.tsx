import { Text, Title } from '@mantine/core'
import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import classes from './empty-state.module.css'

/** Shown for an empty list or page: what belongs here and the next step. */
export function EmptyState({
  icon: Icon,
  title,
  text,
  action,
}: {
  icon: LucideIcon
  title: string
  text: string
  action?: ReactNode
}) {
  return (
    <div className={classes.state}>
      <span className={classes.icon} aria-hidden>
        <Icon size={22} strokeWidth={1.8} />
      </span>
      <Title order={2} size="h5">
        {title}
      </Title>
      <Text c="dimmed" size="sm" maw="30rem">
        {text}
      </Text>
      {action}
    </div>
  )
}
