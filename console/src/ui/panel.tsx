import { Text, Title } from '@mantine/core'
import { type ReactNode, useId } from 'react'
import classes from './panel.module.css'

/** A section of a page, with a title or only a name for screen readers. `isFlush` removes the padding, as for tables. */
export function Panel({
  id,
  title,
  label,
  text,
  action,
  isFlush = false,
  children,
}: {
  /** For links to the section. */
  id?: string
  title?: string
  label?: string
  text?: string
  action?: ReactNode
  isFlush?: boolean
  children: ReactNode
}) {
  const titleId = useId()
  return (
    <section
      id={id}
      className={classes.panel}
      {...(title === undefined ? { 'aria-label': label } : { 'aria-labelledby': titleId })}
    >
      {title !== undefined && (
        <header className={classes.header}>
          <div className={classes.words}>
            <Title order={2} size="h5" id={titleId}>
              {title}
            </Title>
            {text !== undefined && (
              <Text c="dimmed" size="sm">
                {text}
              </Text>
            )}
          </div>
          {action}
        </header>
      )}
      <div className={isFlush ? classes.flush : classes.content}>{children}</div>
    </section>
  )
}
