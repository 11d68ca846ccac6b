import { parentPort } from 'node:worker_threads'
import { z } from 'zod'
import type { BodyReadJob } from './body-reader.ts'
import { toAppError } from './error-response.ts'
import { parseJsonBody } from './json-body.ts'
import { validate } from '../kernel/validate.ts'

// One body at a time: the parent ends this thread when one takes too long.
parentPort?.on('message', (job: BodyReadJob) => {
  void read(job)
    .then((value) => ({ ok: true as const, value }))
    .catch((error: unknown) => {
      const { code, message, details } = toAppError(error)
      return { ok: false as const, code, message, details }
    })
    .then((answer) => parentPort?.postMessage(answer, []))
})

async function read({ bytes, reading: { limits, fields, schema } }: BodyReadJob): Promise<unknown> {
  const exported: Record<string, unknown> = await import(schema.module)
  const found = exported[schema.name]
  if (!(found instanceof z.ZodType)) throw new Error(`${schema.module} exports no schema ${schema.name}`)
  return validate(found, parseJsonBody(bytes, limits, fields), 'body')
}
