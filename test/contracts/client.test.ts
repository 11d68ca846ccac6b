import { glob, readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { generatedClientTypes, generatedProviders } from '../../scripts/generate-client-types.ts'
import { generatedPythonTypes, synchronousModule } from '../../scripts/generate-python-types.ts'
import { PROVIDERS } from '../../src/providers/index.ts'

const read = (file: string): Promise<string> => readFile(new URL(`../../${file}`, import.meta.url), 'utf8')

it('client/src/api.ts matches openapi/openapi.json (npm run generate writes both)', async () => {
  expect(await read('client/src/api.ts')).toBe(await generatedClientTypes(await read('openapi/openapi.json')))
})

it("the Python client's types match openapi/openapi.json (npm run generate writes both)", async () => {
  const written = await read('client/python/src/retrieval_memory/_api.py')
  expect(written).toBe(generatedPythonTypes(await read('openapi/openapi.json')))
})

it("the Python client's synchronous methods match its asynchronous ones (npm run generate)", async () => {
  const folder = 'client/python/src/retrieval_memory'
  expect(await read(`${folder}/_resources.py`)).toBe(
    synchronousModule(await read(`${folder}/_async_resources.py`)),
  )
})

it("the console's providers match openapi/openapi.json (npm run generate writes both)", async () => {
  const written = await read('console/src/api/providers.ts')
  expect(written).toBe(generatedProviders(await read('openapi/openapi.json')))
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
