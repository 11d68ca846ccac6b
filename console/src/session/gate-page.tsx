import { Paper, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { usePageTitle } from '../ui/page-title.ts'
import { Brand } from './brand.tsx'
import classes from './gate-page.module.css'

/** A page before the console itself: one panel in the middle. */
export function GatePage({ title, children }: { title: string; children: ReactNode }) {
  usePageTitle(title)
  return (
    <main className={classes.gate}>
      <div className={classes.column}>
        <Brand />
        <Paper className={classes.panel} withBorder>
          <Stack gap="md">{children}</Stack>
        </Paper>
      </div>
    </main>
  )
}
