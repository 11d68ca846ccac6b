/** What the address of Evaluation says. */
export interface EvaluationSearch {
  tab?: 'questions'
  /** The run that is shown; the newest if there is no such run. */
  run?: string
}

export function readEvaluationSearch({ tab, run }: Record<string, unknown>): EvaluationSearch {
  return {
    ...(tab === 'questions' ? { tab } : {}),
    ...(typeof run === 'string' ? { run } : {}),
  }
}
