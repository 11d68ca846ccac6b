import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './note.module.css'

/** A remark about an answer, before its text. */
export function Note({ icon, title, text }: { icon: ReactNode; title: string; text?: ReactNode }) {
  return (
    <div className={classes.note}>
      {icon}
      <div>
        <Text fw={620} size="sm">
          {title}
        </Text>
        {text !== undefined && <Text size="sm">{text}</Text>}
      </div>
    </div>
  )
}
