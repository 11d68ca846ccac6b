import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Link } from '@tanstack/react-router'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { EndOfList } from '../../ui/end-of-list.tsx'
import { count } from '../../ui/format.ts'
import { Panel } from '../../ui/panel.tsx'
import { Reading } from '../../ui/reading.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { DeleteThread } from './delete-thread.tsx'
import classes from './thread-list.module.css'
import { useDeleteThreads, useThreads } from './use-threads.ts'

/** The user's threads, to continue or delete. Renders nothing without threads. */
export function ThreadList() {
  const threads = useThreads()
  const remove = useDeleteThreads()
  const [isAsked, asking] = useDisclosure(false)
  if (threads.data !== undefined && threads.rows.length === 0) return null
  const hasFailed = threads.data === undefined && threads.error !== null
  return (
    <Panel
      title="Your threads"
      text="Only you see them."
      isFlush
      action={
        hasFailed ? undefined : (
          <Button variant="default" size="xs" onClick={asking.open}>
            Delete all
          </Button>
        )
      }
    >
      <Reading query={threads}>
        {() => (
          <>
            <ul className={classes.list}>
              {threads.rows.map(({ id, title, turnCount, updatedAt }) => (
                <li key={id} className={classes.row}>
                  <Link to="/ask" search={{ thread: id }} className={classes.thread ?? ''}>
                    <span className={classes.title}>{title}</span>
                    <span className={classes.facts}>
                      {count(turnCount, 'question')} · <RelativeTime at={updatedAt} />
                    </span>
                  </Link>
                  <DeleteThread id={id} label={`Delete thread: ${title}`} variant="subtle" color="gray" />
                </li>
              ))}
            </ul>
            <EndOfList pages={threads} isAsked />
          </>
        )}
      </Reading>
      <ConfirmDialog
        isOpen={isAsked}
        title="Delete all threads?"
        text="Your questions and their answers in this workspace are deleted. This cannot be undone."
        confirm="Delete all threads"
        work={remove}
        onConfirm={() => remove.mutate(null, { onSuccess: asking.close })}
        onClose={asking.close}
      />
    </Panel>
  )
}
