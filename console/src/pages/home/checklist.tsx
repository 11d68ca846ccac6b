import { VisuallyHidden } from '@mantine/core'
import { anyProvider } from '../../api/provider-list.ts'
import { Check } from 'lucide-react'
import type { PagePath } from '../../data/pages.ts'
import { ButtonLink } from '../../ui/links.tsx'
import { Panel } from '../../ui/panel.tsx'
import classes from './checklist.module.css'

interface Step {
  title: string
  text: string
  isDone: boolean
  to: PagePath | '/sources/new'
  action: string
}

/**
 * The first steps in a new workspace. Each step is completed automatically; after the last one, the list disappears.
 */
export function Checklist({
  hasItems,
  hasAsked,
  hasAgent,
  hasActed,
}: {
  hasItems: boolean
  hasAsked: boolean
  hasAgent: boolean
  hasActed: boolean
}) {
  const steps: readonly Step[] = [
    {
      title: 'Add content',
      text: `Connect ${anyProvider()}, or import a folder.`,
      isDone: hasItems,
      to: '/sources/new',
      action: 'Add a source',
    },
    {
      title: 'Ask a question',
      text: 'Answers cite where each statement comes from.',
      isDone: hasAsked,
      to: '/ask',
      action: 'Ask',
    },
    {
      title: 'Create a key for an agent',
      text: 'Choose its actions and providers.',
      isDone: hasAgent,
      to: '/developers',
      action: 'Create a key',
    },
    {
      title: 'Read the audit trail',
      text: 'It records what people and keys do.',
      isDone: hasActed,
      to: '/audit',
      action: 'Open the audit trail',
    },
  ]
  const done = steps.filter(({ isDone }) => isDone).length
  if (done === steps.length) return null
  const next = steps.find(({ isDone }) => !isDone)
  return (
    <Panel title="Get started" text={`${done} of ${steps.length} done`} isFlush>
      <ol className={classes.list}>
        {steps.map((step, at) => (
          <li key={step.title} className={classes.step} data-done={step.isDone}>
            <span className={classes.mark} aria-hidden>
              {step.isDone ? <Check size={14} strokeWidth={2.6} /> : at + 1}
            </span>
            <div className={classes.words}>
              <span className={classes.title}>
                {step.title}
                {step.isDone && <VisuallyHidden> (done)</VisuallyHidden>}
              </span>
              <span className={classes.text}>{step.text}</span>
            </div>
            {!step.isDone && (
              <ButtonLink to={step.to} size="xs" variant={step === next ? 'filled' : 'default'}>
                {step.action}
              </ButtonLink>
            )}
          </li>
        ))}
      </ol>
    </Panel>
  )
}
