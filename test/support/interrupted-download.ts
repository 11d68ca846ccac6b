/**
 * Acts between the first bytes of a download and the rest, which must be larger than the connection's buffers.
 * @returns the rest, or the failure of the connection
 */
export async function interruptedDownload(
  url: string,
  request: RequestInit,
  act: () => Promise<void>,
): Promise<string> {
  const response = await fetch(url, request)
  const reader = (response.body ?? new ReadableStream()).getReader()
  await reader.read()
  await act()
  const rest: Uint8Array[] = []
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) rest.push(next.value)
  } catch (error) {
    return String(error)
  }
  return Buffer.concat(rest).toString()
}
