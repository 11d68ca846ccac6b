import { fsyncSync } from 'node:fs'
import type { PGlite } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'

/** What PGlite's WebAssembly module calls for a file in a mounted folder. `nfd` is Node's file descriptor. */
interface StreamOperations {
  fsync?: (stream: { nfd: number }) => number
}

const EIO = 29

/**
 * A folder on disk as the database's file system, with a working fsync. PGlite's own passes every call to Node except
 * fsync, which does nothing; this adds the hook that the module looks for. fdatasync still does nothing (the module has
 * no hook for it), so `wal_sync_method` must be `fsync`.
 */
export function openDurableFiles(folder: string): NodeFS {
  return new DurableFiles(folder)
}

class DurableFiles extends NodeFS {
  override async init(...[pglite, options]: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(pglite, options)
    return {
      emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), installFsync] },
    }
  }
}

function installFsync(module: PGlite['Module']): void {
  const { NODEFS } = module.FS.filesystems
  if (!hasStreamOperations(NODEFS)) throw new Error('PGlite has no hook for fsync: its version was changed')
  NODEFS.stream_ops.fsync = ({ nfd }) => {
    try {
      fsyncSync(nfd)
      return 0
    } catch {
      // The database stops immediately on this error, because it cannot know what reached the disk.
      throw new module.FS.ErrnoError(EIO)
    }
  }
}

function hasStreamOperations(value: object): value is { stream_ops: StreamOperations } {
  return 'stream_ops' in value && typeof value.stream_ops === 'object' && value.stream_ops !== null
}
