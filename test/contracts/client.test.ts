import { glob, readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { generatedClientTypes, generatedProviders } from '../../scripts/generate-client-types.ts'
import { generatedPythonTypes } from '../../scripts/generate-python-types.ts'
import { PROVIDERS } from '../../src/providers/index.ts'

const read = (file: string): Promise<string> => readFile(new URL(`../../${file}`, import.meta.url), 'utf8')

it('client/src/api.ts matches openapi/openapi.json (npm run generate writes both)', async () => {
  expect(await read('client/src/api.ts')).toBe(await generatedClientTypes(await read('openapi/openapi.json')))
})

it("the Python client's types match openapi/openapi.json (npm run generate writes both)", async () => {
  const written = await read('client/python/src/retrieval_memory/_api.py')
  expect(written).toBe(generatedPythonTypes(await read('openapi/openapi.json')))
})

it("the console's providers match openapi/openapi.json (npm run generate writes both)", async () => {
  const written = await read('console/src/api/providers.ts')
  expect(written).toBe(generatedProviders(await read('openapi/openapi.json')))
})

it('the clients go on with other documents after the errors 400 and 413 of an ingest, which are about its documents', async () => {
  const { responses } = JSON.parse(await read('openapi/openapi.json')).paths['/v1/ingest'].post
  const faults = ['400', '413'].flatMap((status) =>
    Object.keys(responses[status].content['application/json'].examples),
  )
  for (const file of ['client/src/ingest.ts', 'client/python/src/retrieval_memory/_ingest.py']) {
    const list = /DOCUMENT_FAULTS\b[^[{]*[[{]([^\]}]*)/.exec(await read(file))?.[1] ?? ''
    const named = list.matchAll(/['"](\w+)['"]/g).map(([, code]) => code)
    expect([...named].toSorted(), file).toEqual(faults.toSorted())
  }
})

it('the console and the command line name no provider: their knowledge of providers is generated', async () => {
  const named = new RegExp(`['"](${PROVIDERS.join('|')})['"]`)
  const found: string[] = []
  const root = new URL('../../', import.meta.url)
  for await (const file of glob(['console/src/**/*.{ts,tsx}', 'cli/**/*.ts'], { cwd: root })) {
    if (/\.test\.ts$|^console\/src\/api\/|^cli\/support\//.test(file)) continue
    if (named.test(await read(file))) found.push(file)
  }
  expect(found).toEqual([])
})
