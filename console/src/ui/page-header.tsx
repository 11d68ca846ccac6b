import { Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './page-header.module.css'
import { usePageTitle } from './page-title.ts'

/** A page's title, description, and main action. Also sets the browser title. */
export function PageHeader({ title, text, action }: { title: string; text?: string; action?: ReactNode }) {
  usePageTitle(title)
  return (
    <header className={classes.header}>
      <div className={classes.words}>
        <Title order={1}>{title}</Title>
        {text !== undefined && <Text c="dimmed">{text}</Text>}
      </div>
      {action}
    </header>
  )
}
