import { mkdir, writeFile } from 'node:fs/promises'
import { openApiDocument } from '../src/http/openapi.ts'
import { routes } from '../src/assembly/app.ts'
import { webhookEvents } from '../src/assembly/webhook-engine.ts'
import { generatedClientTypes } from './generate-client-types.ts'
import { generatedPythonTypes } from './generate-python-types.ts'
import { VERSION } from '../src/kernel/version.ts'

/** Where a service that nobody configured answers; a running one puts its own address there. */
const PLACEHOLDER_URL = 'http://127.0.0.1:8787'

/** The checked-in OpenAPI document as text. */
export function generatedOpenApi(): string {
  const document = openApiDocument(routes, {
    version: VERSION,
    url: PLACEHOLDER_URL,
    webhooks: webhookEvents,
  })
  return `${JSON.stringify(document, null, 2)}\n`
}

if (import.meta.main) {
  const folder = new URL('../openapi/', import.meta.url)
  const document = generatedOpenApi()
  await mkdir(folder, { recursive: true })
  await writeFile(new URL('openapi.json', folder), document)
  await writeFile(new URL('../client/src/api.ts', import.meta.url), await generatedClientTypes(document))
  const pythonTypes = new URL('../client/python/src/retrieval_memory/_api.py', import.meta.url)
  await writeFile(pythonTypes, generatedPythonTypes(document))
}
