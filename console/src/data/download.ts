import { type Credentials, headersOf } from '../api/client.ts'
import { errorOf, unreachable } from '../api/errors.ts'

/** The destination of a download: a file that the user chose, or memory and then a download. */
export interface Target {
  write(bytes: Uint8Array<ArrayBuffer>): Promise<void>
  close(): Promise<void>
  /** Discards a partial download where possible. */
  abort(): Promise<void>
}

/**
 * Asks where to save a file. Browsers with a save dialog stream to disk, so that any size fits; others download.
 * Call it from a click. @returns null if the user cancels
 */
export async function chooseTarget(suggestedName: string, type: string): Promise<Target | null> {
  const scope: object = globalThis
  if (!hasSavePicker(scope)) return inMemory(suggestedName, type)
  try {
    const handle = await scope.showSaveFilePicker({ suggestedName })
    return await handle.createWritable()
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return null
    throw error
  }
}

/**
 * Streams a response to a target. `onProgress` receives the bytes so far.
 * @returns the total bytes. @throws ApiError if the service refuses the request or the stream breaks
 */
export async function download(options: {
  credentials: Credentials
  organizationId: string
  path: string
  target: Target
  onProgress: (bytes: number) => void
  signal: AbortSignal
}): Promise<number> {
  const { credentials, organizationId, path, target, onProgress, signal } = options
  let bytes = 0
  try {
    const headers = new Headers(await headersOf(credentials, organizationId))
    const response = await fetch(path, { headers, signal }).catch((error: unknown) => {
      throw signal.aborted ? error : unreachable(error)
    })
    if (response.status === 401) credentials.onRefused()
    if (!response.ok || !response.body) throw errorOf(response, await response.json().catch(() => undefined))
    const reader = response.body.getReader()
    for (;;) {
      const { value, done } = await reader.read().catch((error: unknown) => {
        throw signal.aborted ? error : unreachable(error)
      })
      if (done) break
      await target.write(value)
      bytes += value.byteLength
      onProgress(bytes)
    }
    await target.close()
    return bytes
  } catch (error) {
    await target.abort()
    throw error
  }
}

/** A Chromium API that TypeScript's DOM types lack. */
interface SavePicker {
  showSaveFilePicker(options: { suggestedName: string }): Promise<{ createWritable(): Promise<Target> }>
}

function hasSavePicker(scope: object): scope is SavePicker {
  return 'showSaveFilePicker' in scope
}

function inMemory(name: string, type: string): Target {
  let parts: Uint8Array<ArrayBuffer>[] = []
  return {
    async write(bytes) {
      parts.push(bytes)
    },
    async close() {
      const url = URL.createObjectURL(new Blob(parts, { type }))
      const link = document.createElement('a')
      link.href = url
      link.download = name
      link.click()
      URL.revokeObjectURL(url)
      parts = []
    },
    async abort() {
      parts = []
    },
  }
}
