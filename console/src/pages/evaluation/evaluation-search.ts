/** The search parameters of the Evaluation page. */
export interface EvaluationSearch {
  tab?: 'questions'
  /** The run to show. The default is the newest. */
  run?: string
}

export function readEvaluationSearch({ tab, run }: Record<string, unknown>): EvaluationSearch {
  return {
    ...(tab === 'questions' ? { tab } : {}),
    ...(typeof run === 'string' ? { run } : {}),
  }
}
