import { z } from 'zod'
import type { JsonValue } from '../adapter.ts'
import { blockStart } from './reading/messages.ts'

/** What an event asks to be reread: `message`, its hour and thread; `channels`, their list, which every run reads. */
export const slackHint = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('message'),
    channel: z.string(),
    ts: z.string(),
    threadTs: z.string().optional(),
  }),
  z.object({ kind: z.literal('channels') }),
])
export type SlackHint = z.infer<typeof slackHint>

/** An hour of a channel to reread, with the threads to read whatever their root says. */
export interface HintedBlock {
  channelId: string
  /** The block's start. */
  from: string
  roots: Set<string>
}

/** Hints grouped by hour, in order of arrival. `unreadable`: some could not be parsed, so poll every channel. */
export function groupHints(hints: readonly JsonValue[]): { blocks: HintedBlock[]; unreadable: boolean } {
  const blocks = new Map<string, HintedBlock>()
  let unreadable = false
  for (const value of hints) {
    const parsed = slackHint.safeParse(value)
    if (!parsed.success) {
      unreadable = true
    } else if (parsed.data.kind === 'message') {
      const { channel, ts, threadTs } = parsed.data
      const from = blockStart(threadTs ?? ts)
      const key = `${channel}/${from}`
      const block = blocks.get(key) ?? { channelId: channel, from, roots: new Set<string>() }
      // A message may be a root although the event does not say so.
      block.roots.add(threadTs ?? ts)
      blocks.set(key, block)
    }
  }
  return { blocks: [...blocks.values()], unreadable }
}
