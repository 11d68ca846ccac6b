import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { generatedClientTypes } from '../../scripts/generate-client-types.ts'
import { generatedPythonTypes } from '../../scripts/generate-python-types.ts'

const read = (file: string): Promise<string> => readFile(new URL(`../../${file}`, import.meta.url), 'utf8')

it('client/src/api.ts is what openapi/openapi.json says (npm run generate writes both)', async () => {
  expect(await read('client/src/api.ts')).toBe(await generatedClientTypes(await read('openapi/openapi.json')))
})

it("the Python client's types are what openapi/openapi.json says (npm run generate writes both)", async () => {
  const written = await read('client/python/src/retrieval_memory/_api.py')
  expect(written).toBe(generatedPythonTypes(await read('openapi/openapi.json')))
})
