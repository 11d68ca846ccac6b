import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

/** A file, which leaves piece by piece as its reader takes it: a text, or bytes that who goes away destroys. */
export type Download = ({ text: AsyncIterable<string> } | { bytes: Readable }) & {
  contentType: string
  /** What a browser calls the file: letters, digits, dots and hyphens. */
  filename: string
}

/** A reader that takes nothing for so long has gone. */
const STALLED_MS = 60_000

/**
 * Sends a file piece by piece. The next piece is made once the reader has taken the last, so a slow one costs no memory; what
 * breaks off breaks the connection, so that nobody takes a part for the whole.
 */
export async function sendDownload(reply: FastifyReply, download: Download): Promise<FastifyReply> {
  const { contentType, filename } = download
  reply.raw.setTimeout(STALLED_MS, () => reply.raw.destroy())
  return await reply
    .code(200)
    .headers({
      'Content-Disposition': `attachment; filename="${filename}"`,
      'Cache-Control': 'no-store',
    })
    .type(contentType)
    .send('bytes' in download ? download.bytes : asBytes(download.text))
}

function asBytes(text: AsyncIterable<string>): Readable {
  return Readable.from(text, { objectMode: false, highWaterMark: 1 })
}
