import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

/** A text for a file, which leaves piece by piece as its reader takes it. */
export interface Download {
  text: AsyncIterable<string>
  contentType: string
  /** What a browser calls the file: letters, digits, dots and hyphens. */
  filename: string
}

/** A reader that takes nothing for so long has gone. */
const STALLED_MS = 60_000

/**
 * Sends a text piece by piece. The next piece is made once the reader has taken the last, so a slow one costs no memory; a text that
 * breaks off breaks the connection, so that nobody takes a part for the whole.
 */
export async function sendDownload(
  reply: FastifyReply,
  { text, contentType, filename }: Download,
): Promise<FastifyReply> {
  reply.raw.setTimeout(STALLED_MS, () => reply.raw.destroy())
  return await reply
    .code(200)
    .headers({
      'Content-Disposition': `attachment; filename="${filename}"`,
      'Cache-Control': 'no-store',
    })
    .type(contentType)
    .send(Readable.from(text, { objectMode: false, highWaterMark: 1 }))
}
