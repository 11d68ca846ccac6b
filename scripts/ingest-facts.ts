import { z } from 'zod'
import { BODY_BYTES_MAX, DOCUMENTS_MAX, INGEST_BYTES_MAX } from '../src/items/ingest-request.ts'

const Answer = z.object({
  content: z.object({ 'application/json': z.object({ examples: z.record(z.string(), z.unknown()) }) }),
})
const Document = z.object({
  paths: z.object({
    '/v1/ingest': z.object({ post: z.object({ responses: z.object({ 400: Answer, 413: Answer }) }) }),
  }),
})

/** What clients must know to split documents into requests. */
export const INGEST_LIMITS = {
  documents: DOCUMENTS_MAX,
  requestBytes: INGEST_BYTES_MAX,
  textBytes: BODY_BYTES_MAX,
}

/** The errors of ingest about a document. Any other error would occur for the next request too. */
export function documentFaults(openApi: string): string[] {
  const { responses } = Document.parse(JSON.parse(openApi)).paths['/v1/ingest'].post
  return [responses[400], responses[413]].flatMap(({ content }) =>
    Object.keys(content['application/json'].examples),
  )
}
