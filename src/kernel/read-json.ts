import { readUpTo } from './read-up-to.ts'

/**
 * The JSON of a response, whose length need not be declared.
 * @throws RangeError above `bytesMax`, SyntaxError, errors of the connection
 */
export async function readJson(response: Response, bytesMax: number): Promise<unknown> {
  const bytes = await readUpTo(response.body ?? [], bytesMax)
  if (bytes === null) throw new RangeError(`The response is larger than ${bytesMax} bytes`)
  return JSON.parse(bytes.toString('utf8'))
}
