import { z } from 'zod'
import { text } from '../kernel/schemas.ts'

/** A limit on what the result means. */
const Limitation = z.object({
  code: z
    .enum([
      'provider_scope_applied',
      'permissions_applied',
      'source_stale',
      'source_sync_incomplete',
      'embedding_fallback',
      'weak_evidence',
      'approximate_search',
      'answer_truncated',
    ])
    .describe('The limitation, for programs.'),
  message: text('The limitation in words.', 'Recent changes may be missing'),
})
export type Limitation = z.output<typeof Limitation>

/** Each code at most once. */
export const Limitations = z.array(Limitation)

/**
 * Reported whenever the search was limited to what a user may read, whether or not that excluded anything.
 */
export const PERMISSIONS_APPLIED: Limitation = {
  code: 'permissions_applied',
  message: 'Only what the person may read was searched',
}

/** Reported when an approximate index answered. */
export const APPROXIMATE_SEARCH: Limitation = {
  code: 'approximate_search',
  message:
    'Nearer passages may be missing, because the operator of this deployment enabled an approximate index for this memory',
}

/** Reported when even the nearest passage is too far from the question. */
export const WEAK_EVIDENCE: Limitation = {
  code: 'weak_evidence',
  message:
    'Nothing stored seems to answer this: even the nearest passage is about as far from it as from questions about other subjects',
}
