import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './stat.module.css'

/** A figure with a label above and an explanation below. */
export function Stat({ label, value, children }: { label: string; value: ReactNode; children?: ReactNode }) {
  return (
    <div className={classes.stat}>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <p className={classes.value}>{value}</p>
      <Text size="sm" c="dimmed" component="div">
        {children}
      </Text>
    </div>
  )
}

/** Stats side by side, as many as fit. */
export function Stats({ children }: { children: ReactNode }) {
  return <div className={classes.stats}>{children}</div>
}
