import type { Nullable, NullableJson, TenantRow } from './schema-columns.ts'

interface Expectation {
  position: number
  question: string
  page: Nullable<string>
  fact: Nullable<string>
}

/** Questions with known answers, and the runs that measured them. */
export interface EvaluationsSchema {
  evaluation_questions: TenantRow &
    Expectation & {
      feedback: Nullable<'useful' | 'wrong' | 'missing_source'>
      last_rank: Nullable<number>
      last_has_fact: Nullable<boolean>
      last_measured_at: Nullable<Date>
      created_at: Date
      updated_at: Date
    }
  evaluation_runs: TenantRow & { user_id: string; started_at: Date }
  evaluation_results: Expectation & {
    organization_id: string
    run_id: string
    question_id: string
    previous_rank: Nullable<number>
    previous_has_fact: Nullable<boolean>
    previous_measured_at: Nullable<Date>
    rank: Nullable<number>
    has_fact: Nullable<boolean>
    change: Nullable<'better' | 'worse' | 'same' | 'new'>
    answer: Nullable<string>
    content: NullableJson
    measured_at: Nullable<Date>
  }
}
