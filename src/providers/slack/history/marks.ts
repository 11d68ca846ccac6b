import { createHash } from 'node:crypto'
import { isThreadRoot, type SlackMessage } from '../reading/messages.ts'

const TALLY_BITS = 48

/** A short hash of everything in messages that an item shows, and of the replies under them. */
export function markOf(messages: readonly SlackMessage[]): string {
  const hash = createHash('sha256')
  for (const message of messages) hash.update(fingerprint(message))
  return hash.digest('base64url').slice(0, 12)
}

/** The number of messages and the XOR of their hashes, in all and for thread roots: tallies combine. */
export interface Tally {
  count: number
  bits: bigint
  rootBits: bigint
}

export const emptyTally = (): Tally => ({ count: 0, bits: 0n, rootBits: 0n })

export function addToTally(tally: Tally, messages: readonly SlackMessage[]): void {
  for (const message of messages) {
    const digest = createHash('sha256').update(fingerprint(message)).digest()
    const bits = BigInt.asUintN(TALLY_BITS, digest.readBigUInt64BE())
    tally.bits ^= bits
    if (isThreadRoot(message)) tally.rootBits ^= bits
    tally.count += 1
  }
}

/** Equal for equal displayed content, and for a root also equal reply count and time. */
function fingerprint(message: SlackMessage): string {
  const { ts, text, subtype, edited, reply_count: replies, latest_reply: latest } = message
  const files = message.files?.map(({ title, name }) => [title, name])
  const attachments = message.attachments?.map((part) => [part.title, part.text, part.fallback])
  return JSON.stringify([ts, text, subtype, edited?.ts, replies, latest, files, attachments])
}
