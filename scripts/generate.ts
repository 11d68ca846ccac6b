import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { routes } from '../src/assembly/routes.ts'
import { describeApi } from '../src/assembly/open-api.ts'
import { writeFigures } from './figures.ts'
import { generatedClientTypes, generatedProviders } from './generate-client-types.ts'
import { generatedPythonTypes, synchronousModule } from './generate-python-types.ts'

/** The default address of the service; a running service inserts its own. */
const PLACEHOLDER_URL = 'http://127.0.0.1:8787'

export function generatedOpenApi(): string {
  return `${JSON.stringify(describeApi(routes, PLACEHOLDER_URL), null, 2)}\n`
}

if (import.meta.main) {
  const folder = new URL('../openapi/', import.meta.url)
  const document = generatedOpenApi()
  await mkdir(folder, { recursive: true })
  await writeFile(new URL('openapi.json', folder), document)
  await writeFile(new URL('../client/src/api.ts', import.meta.url), await generatedClientTypes(document))
  await writeFile(new URL('../console/src/api/providers.ts', import.meta.url), generatedProviders(document))
  const python = new URL('../client/python/src/retrieval_memory/', import.meta.url)
  await writeFile(new URL('_api.py', python), generatedPythonTypes(document))
  const resources = await readFile(new URL('_async_resources.py', python), 'utf8')
  await writeFile(new URL('_resources.py', python), synchronousModule(resources))
  await writeFigures()
}
