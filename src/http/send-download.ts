import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

/** A file that is sent as its reader takes it: text, or bytes whose stream is destroyed when the reader disconnects. */
export type Download = ({ text: AsyncIterable<string> } | { bytes: Readable }) & {
  contentType: string
  /** The file name for a browser: letters, digits, dots and hyphens. */
  filename: string
}

/** A reader that takes nothing for this long is considered gone. */
const STALLED_MS = 60_000

/** Sends a file in pieces, at the reader's pace. A failure breaks the connection: no part passes for the whole. */
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
    .send(
      'bytes' in download
        ? download.bytes
        : Readable.from(download.text, { objectMode: false, highWaterMark: 1 }),
    )
}
