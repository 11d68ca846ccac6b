import { createHash } from 'node:crypto'
import { isThreadRoot, type SlackMessage } from '../reading/messages.ts'

const TALLY_BITS = 48
const MARK_BYTES = 9

/** A short hash of everything in messages that an item shows, and of the replies under them. */
export function markOf(messages: readonly SlackMessage[]): string {
  const hash = createHash('sha256')
  for (const message of messages) hash.update(fingerprint(message))
  return hash.digest().subarray(0, MARK_BYTES).toString('base64url')
}

/** The XOR of marks, which is equal for the same set of them. */
export function xorMarks(marks: readonly string[]): string {
  const bits = Buffer.alloc(MARK_BYTES)
  for (const mark of marks) {
    const bytes = Buffer.from(mark, 'base64url')
    for (const [index, byte] of bytes.entries()) bits[index] = (bits[index] ?? 0) ^ byte
  }
  return bits.toString('base64url')
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
  const attachments = message.attachments?.map(({ title, text: shown, fallback, repeats }) => [
    title,
    shown,
    fallback,
    ...(repeats ? [repeats.channelId] : []),
  ])
  return JSON.stringify([ts, text, subtype, edited?.ts, replies, latest, files, attachments])
}
