import { z } from 'zod'
import type { Hit } from '../../retrieval/index.ts'
import type { Candidate } from './candidate.ts'

/** The author of a passage of a conversation. */
export interface Speaker {
  name: string
  /** Whether the passage itself begins with the name. */
  isNamed: boolean
}

export type SpeakerOf = (candidate: Candidate) => Speaker | null

/** Metadata that chat connectors store: the names that begin the lines. */
const Conversation = z.object({ senders: z.array(z.string()) })

/** Returns the author of a passage: the last name before it in its text; null if unknown or not a conversation. */
export function createSpeakerOf(
  hits: readonly Pick<Hit, 'metadata'>[],
  candidates: readonly Candidate[],
): SpeakerOf {
  const senders = hits.map(({ metadata }) => Conversation.safeParse(metadata).data?.senders ?? [])
  const namedIn = ({ hit, passage }: Candidate): string | undefined =>
    senders[hit]?.find((name) => passage.text.startsWith(`${name}: `))
  return (candidate) => {
    const own = namedIn(candidate)
    if (own !== undefined) return { name: own, isNamed: true }
    const [only, ...others] = senders[candidate.hit] ?? []
    if (only !== undefined && others.length === 0) return { name: only, isNamed: false }
    const before = candidates.findLast(
      (other) =>
        other.section === candidate.section &&
        other.position < candidate.position &&
        namedIn(other) !== undefined,
    )
    const name = before && namedIn(before)
    return name === undefined ? null : { name, isNamed: false }
  }
}
