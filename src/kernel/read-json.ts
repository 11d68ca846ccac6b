/**
 * The JSON of a response, whose length need not be declared.
 * @throws RangeError above `bytesMax`, SyntaxError, errors of the connection
 */
export async function readJson(response: Response, bytesMax: number): Promise<unknown> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of response.body ?? []) {
    bytes += part.byteLength
    // Leaving the loop cancels the rest.
    if (bytes > bytesMax) throw new RangeError(`The response is larger than ${bytesMax} bytes`)
    parts.push(part)
  }
  return JSON.parse(Buffer.concat(parts).toString('utf8'))
}
