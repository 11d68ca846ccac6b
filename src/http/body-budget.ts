import { unavailable } from '../kernel/unavailable.ts'

export interface BodyBudget {
  /** Opens a share, which holds memory until it is released. @param owner an organization's id, or the sender's name */
  open(owner: string): BodyShare
}

export interface BodyShare {
  /** @throws AppError `overloaded`, with Retry-After, when the owner or the process is out of memory for bodies */
  take(bytes: number): void
  /** Releases the whole share. Can be called more than once. */
  release(): void
}

/** Sixteen of the largest bodies. */
const PROCESS_BYTES_MAX = 160 * 1024 * 1024
/** Six of the largest bodies. */
const OWNER_BYTES_MAX = 64 * 1024 * 1024
const RETRY_AFTER_SECONDS = 5

/** Limits bodies per owner and in total, so that no owner can use up the process's memory or the others' part. */
export function createBodyBudget(): BodyBudget {
  const heldBy = new Map<string, number>()
  let held = 0
  return {
    open(owner) {
      let mine = 0
      return {
        take(bytes) {
          const ofOwner = heldBy.get(owner) ?? 0
          if (ofOwner + bytes > OWNER_BYTES_MAX) throw full('in this workspace')
          if (held + bytes > PROCESS_BYTES_MAX) throw full('in all workspaces')
          heldBy.set(owner, ofOwner + bytes)
          held += bytes
          mine += bytes
        },
        release() {
          const left = (heldBy.get(owner) ?? 0) - mine
          if (left > 0) heldBy.set(owner, left)
          else heldBy.delete(owner)
          held -= mine
          mine = 0
        },
      }
    },
  }
}

function full(where: string): Error {
  return unavailable(
    'overloaded',
    `Requests in progress ${where} have filled the memory for request bodies; send fewer at once`,
    RETRY_AFTER_SECONDS,
  )
}
