import { type Credentials, headersOf } from '../../api/client.ts'
import { errorOf, unreachable } from '../../api/errors.ts'
import type { AuditFilters } from './audit-filters.ts'

export type ExportFormat = 'csv' | 'jsonl'

/** Where an export goes: a file that the person chose, or memory and then the browser's downloads. */
export interface Target {
  write(bytes: Uint8Array<ArrayBuffer>): Promise<void>
  /** All has come. */
  close(): Promise<void>
  /** It broke off: nothing half is left where that can be helped. */
  abort(): Promise<void>
}

const TYPES: Record<ExportFormat, string> = { csv: 'text/csv', jsonl: 'application/x-ndjson' }

/** The file's name: `audit-2026-03-02.csv`. */
export function exportName(format: ExportFormat, at: Date): string {
  return `audit-${at.toISOString().slice(0, 10)}.${format}`
}

/** The export's address, with the filters that are set. */
export function exportPath(format: ExportFormat, filters: AuditFilters): string {
  return `/v1/console/audit-events/export?${new URLSearchParams({ format, ...filters }).toString()}`
}

/**
 * Asks where the file goes: by the browser's dialog where it has one, so that no export is too large, else its downloads.
 * To be called from a click. @returns null when the person thought better of it
 */
export async function chooseTarget(format: ExportFormat, at: Date): Promise<Target | null> {
  const suggestedName = exportName(format, at)
  const scope: object = globalThis
  if (!hasSavePicker(scope)) return inMemory(suggestedName, TYPES[format])
  try {
    const handle = await scope.showSaveFilePicker({ suggestedName })
    return await handle.createWritable()
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return null
    throw error
  }
}

/**
 * Reads an export into a target, a piece at a time; `onProgress` hears the bytes that have come.
 * @returns how many there were. @throws ApiError when it is refused, or breaks off
 */
export async function exportTrail(options: {
  credentials: Credentials
  organizationId: string
  format: ExportFormat
  filters: AuditFilters
  target: Target
  onProgress: (bytes: number) => void
  signal: AbortSignal
}): Promise<number> {
  const { credentials, organizationId, format, filters, target, onProgress, signal } = options
  let bytes = 0
  try {
    const headers = new Headers(await headersOf(credentials, organizationId))
    const response = await fetch(exportPath(format, filters), { headers, signal }).catch((error: unknown) => {
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

/** Chromium's own; the types of the platform do not know it yet. */
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
