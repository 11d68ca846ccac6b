import type { AskStep } from '../../../../client/src/index.ts'
import { count } from '../../ui/format.ts'
import classes from './steps.module.css'
import type { AnswerState } from './use-answer.ts'

/** The steps of a thorough answer: expanded until the text starts, then collapsed. */
export function Steps({ answer: { steps, phase } }: { answer: AnswerState }) {
  if (steps.length === 0) return null
  return (
    <details className={classes.steps} open={phase === 'reading'}>
      <summary>{count(steps.filter(({ step }) => step === 'search').length, 'search', 'searches')}</summary>
      <ol className={classes.list} aria-live="polite">
        {steps.map((step, at) => (
          // oxlint-disable-next-line react/no-array-index-key -- steps are only added
          <li key={at}>{stepInWords(step)}</li>
        ))}
      </ol>
    </details>
  )
}

function stepInWords(step: AskStep): string {
  switch (step.step) {
    case 'rewrite':
      return `Planned ${count(step.queries.length, 'search', 'searches')}`
    case 'search':
      return `Searched “${step.query}”: ${count(step.hitCount, 'passage')}`
    case 'read':
      return step.isEnough
        ? 'Read the passages: enough for an answer'
        : `Read the passages: ${count(step.queries.length, 'more search', 'more searches')} needed`
  }
}
