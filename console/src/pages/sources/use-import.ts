import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { type Credentials, headersOf } from '../../api/client.ts'
import { errorOf, unreachable } from '../../api/errors.ts'
import { useConsole } from '../../session/context.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { createImportQueue, type ImportQueue, type Outcome, type SendFile } from './import-queue.ts'

/** One queue per workspace, so that an import continues while the user opens other pages. */
const queues = new Map<string, ImportQueue>()

/** The workspace's import. The browser asks before the tab closes during one. */
export function useImport() {
  const { session } = useConsole()
  const { organization } = useWorkspace()
  const queries = useQueryClient()
  const queue = useMemo(() => queueOf(session, organization.id, queries), [session, organization.id, queries])
  const files = useSyncExternalStore(queue.subscribe, queue.files)
  return { queue, files }
}

/** Asks before the tab closes while `isBusy`. */
export function useWarnBeforeClosing(isBusy: boolean): void {
  useEffect(() => {
    if (!isBusy) return undefined
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault()
    addEventListener('beforeunload', warn)
    return () => removeEventListener('beforeunload', warn)
  }, [isBusy])
}

function queueOf(credentials: Credentials, organizationId: string, queries: QueryClient): ImportQueue {
  const known = queues.get(organizationId)
  if (known) return known
  const queue = createImportQueue({
    send: sendTo(credentials, organizationId),
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    onStored: () => {
      for (const what of ['sources', 'overview', 'source-items'])
        void queries.invalidateQueries({ queryKey: [organizationId, what] })
    },
  })
  queues.set(organizationId, queue)
  return queue
}

/** Sends raw bytes, because the typed client supports only JSON. */
function sendTo(credentials: Credentials, organizationId: string): SendFile {
  return async ({ sourceId, name, file }) => {
    const headers = new Headers(await headersOf(credentials, organizationId))
    headers.set('Content-Type', file.type || 'application/octet-stream')
    const query = new URLSearchParams({
      connectorId: sourceId,
      name,
      modifiedAt: new Date(file.lastModified).toISOString(),
    })
    const response = await fetch(`/v1/console/files?${query.toString()}`, {
      method: 'POST',
      headers,
      body: file,
    }).catch((error: unknown) => {
      throw unreachable(error)
    })
    if (response.status === 401) credentials.onRefused()
    const body: unknown = await response.json().catch(() => undefined)
    if (!response.ok || !isStored(body)) throw errorOf(response, body)
    return outcomeOf(body)
  }
}

interface Stored {
  file: { title: string; isTruncated: boolean }
  ingested: number
}

function outcomeOf({ file, ingested }: Stored): Outcome {
  if (ingested === 0) return { is: 'unchanged' }
  return { is: 'stored', title: file.title, isTruncated: file.isTruncated }
}

/** A shallow check: the service validates its responses. */
function isStored(body: unknown): body is Stored {
  return typeof body === 'object' && body !== null && 'file' in body && 'ingested' in body
}
