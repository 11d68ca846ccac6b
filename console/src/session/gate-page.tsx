import { Paper, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { usePageTitle } from '../ui/page-title.ts'
import { Brand } from './brand.tsx'
import classes from './gate-page.module.css'

/** The layout of pages outside the console, such as sign-in: one centered panel. */
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
