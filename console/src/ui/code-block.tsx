import { CopyButton } from './copy-button.tsx'
import classes from './code-block.module.css'

function focusCopyButton(block: HTMLElement | null): void {
  block?.querySelector('button')?.focus()
  // Focusing scrolls no further than below a dialog's header, which covers it.
  block?.scrollIntoView({ block: 'center' })
}

/** Text to copy into a program or a shell. `wraps` breaks long lines instead of scrolling. */
export function CodeBlock({
  label,
  text,
  wraps = false,
  isToCopyFirst = false,
}: {
  /** The name for screen readers. */
  label: string
  text: string
  wraps?: boolean
  /** Focuses the copy button: the text replaces a form that had the focus. */
  isToCopyFirst?: boolean
}) {
  return (
    <div className={classes.block} data-wraps={wraps} ref={isToCopyFirst ? focusCopyButton : null}>
      {/* Scrollable areas need keyboard focus. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre className={classes.code} tabIndex={0} role="region" aria-label={label}>
        {text}
      </pre>
      <span className={classes.copy}>
        <CopyButton value={text} label={`Copy ${label}`} />
      </span>
    </div>
  )
}
