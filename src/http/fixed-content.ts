import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

const compress = promisify(gzip)

/** Content that is the same for every client and never changes while the process runs. */
export interface FixedContent {
  bytes: Buffer
  gzipped: Buffer
  contentType: string
  etag: string
}

/** Compression runs off the event loop. */
export async function fixContent(content: string | Uint8Array, contentType: string): Promise<FixedContent> {
  const bytes = Buffer.from(content)
  // Weak, because the compressed form shares it (RFC 9110, 8.8.3.3).
  const etag = `W/"${hash('sha256', bytes, 'base64url').slice(0, 22)}"`
  return { bytes, gzipped: await compress(bytes), contentType, etag }
}

/** Clients revalidate every time, because a new version has the same address. */
export function sendFixed(request: FastifyRequest, reply: FastifyReply, content: FixedContent): FastifyReply {
  const { bytes, gzipped, contentType, etag } = content
  reply.headers({ ETag: etag, 'Cache-Control': 'no-cache', Vary: 'Accept-Encoding' })
  if (hasVersion(request.headers['if-none-match'], etag)) return reply.code(304).send()
  reply.code(200).type(contentType)
  if (!takesGzip(request.headers['accept-encoding'])) return reply.send(bytes)
  return reply.header('Content-Encoding', 'gzip').send(gzipped)
}

/** Whether If-None-Match names this version (RFC 9110, 13.1.2): strong and weak tags compare equal. */
function hasVersion(ifNoneMatch: string | undefined, etag: string): boolean {
  const opaque = etag.replace(/^W\//, '')
  return ifNoneMatch?.split(',').some((tag) => ['*', opaque, etag].includes(tag.trim())) ?? false
}

function takesGzip(acceptEncoding: string | string[] | undefined): boolean {
  const codings = [acceptEncoding ?? []].flat().join().split(',')
  return codings.some((coding) => /^\s*(?:gzip|\*)\s*(?:;\s*q=(?!0(?:\.0*)?\s*$).*)?$/i.test(coding))
}
