import { ApiError } from '../../api/errors.ts'
import { type GivenFile, isHidden, refusalOf } from './file-check.ts'

export type Outcome =
  | { is: 'waiting' }
  | { is: 'sending' }
  | { is: 'stored'; title: string; isTruncated: boolean }
  | { is: 'unchanged' }
  | { is: 'refused'; reason: string }
  | { is: 'failed'; reason: string }

export interface ImportedFile extends GivenFile {
  sourceId: string
  outcome: Outcome
}

/** What a later file replaces. */
export const keyOf = ({ sourceId, name }: Pick<ImportedFile, 'sourceId' | 'name'>): string =>
  `${sourceId}/${name}`

/** Sends one file. @throws ApiError */
export type SendFile = (file: GivenFile & { sourceId: string }) => Promise<Outcome>

export interface ImportQueue {
  /** The files in the order they were added. Each change creates a new list. */
  files(): readonly ImportedFile[]
  subscribe(listener: () => void): () => void
  /** Adds files. It does not send those that the service would refuse. @returns how many hidden files it skipped */
  add(sourceId: string, given: readonly GivenFile[]): number
  /** Resends failed files. */
  retry(): void
  /** Removes finished files from the list. */
  clear(): void
}

/** The service reads one file per workspace at a time. A second one uploads meanwhile. */
const SENT_AT_ONCE = 2
const ATTEMPTS_MAX = 4
const PATIENCE_MS = 2_000

/** Sends a few files at a time and records the result of each. Calls `onStored` for each finished file. */
export function createImportQueue(deps: {
  send: SendFile
  onStored: () => void
  wait: (ms: number) => Promise<void>
}): ImportQueue {
  let files: readonly ImportedFile[] = []
  /** The keys of the files that are being sent. A newer version of one may be waiting. */
  const sending = new Set<string>()
  let workers = 0
  const listeners = new Set<() => void>()

  const set = (changed: readonly ImportedFile[]): void => {
    files = changed
    for (const listener of listeners) listener()
  }
  const settle = (one: ImportedFile, outcome: Outcome): void =>
    set(
      files.map((each) =>
        keyOf(each) === keyOf(one) && each.file === one.file ? { ...each, outcome } : each,
      ),
    )

  /** Sends files one by one until none is waiting. */
  async function work(): Promise<void> {
    workers += 1
    for (;;) {
      const next = files.find((file) => file.outcome.is === 'waiting' && !sending.has(keyOf(file)))
      if (next === undefined) break
      sending.add(keyOf(next))
      settle(next, { is: 'sending' })
      settle(next, await attempt(deps, next))
      sending.delete(keyOf(next))
      deps.onStored()
    }
    workers -= 1
  }

  const start = (): void => {
    const waiting = files.filter(({ outcome }) => outcome.is === 'waiting').length
    for (let more = Math.min(waiting, SENT_AT_ONCE - workers); more > 0; more -= 1) void work()
  }

  return {
    files: () => files,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    add(sourceId, given) {
      const shown = given
        .filter(({ name }) => !isHidden(name))
        .map(({ name, file }) => ({ name, file, sourceId }))
      const wanted = new Map(shown.map((file) => [keyOf(file), file]))
      const added = [...wanted.values()].map(({ name, file }): ImportedFile => {
        const reason = refusalOf({ name, file })
        const outcome: Outcome = reason === null ? { is: 'waiting' } : { is: 'refused', reason }
        return { name, file, sourceId, outcome }
      })
      set([...files.filter((file) => !wanted.has(keyOf(file))), ...added])
      start()
      return given.length - wanted.size
    },
    retry() {
      set(
        files.map((file) => (file.outcome.is === 'failed' ? { ...file, outcome: { is: 'waiting' } } : file)),
      )
      start()
    },
    clear: () => set(files.filter(({ outcome }) => outcome.is === 'waiting' || outcome.is === 'sending')),
  }
}

/** Retries a few times if the service asks to wait. */
async function attempt(
  deps: { send: SendFile; wait: (ms: number) => Promise<void> },
  file: ImportedFile,
): Promise<Outcome> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await deps.send(file)
    } catch (error) {
      if (!(error instanceof ApiError))
        return { is: 'failed', reason: 'The file could not be read from this disk' }
      const isBusy = error.status === 429 || error.status === 503
      if (!isBusy || tried === ATTEMPTS_MAX) return { is: 'failed', reason: error.message }
      await deps.wait(PATIENCE_MS * tried)
    }
  }
}
