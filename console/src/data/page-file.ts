/** A page's file failed to load: the service is unreachable, or serves another version of the console. */
export class MissingPageFile extends Error {
  constructor(cause: unknown) {
    super('The file of this page could not be loaded', { cause })
    this.name = 'MissingPageFile'
  }
}

/** Loads a page. @throws the same error for a missing file in every browser and bundler */
export function pageFile<Page>(load: () => Promise<Page>): () => Promise<Page> {
  return async () => {
    try {
      return await load()
    } catch (error) {
      throw new MissingPageFile(error)
    }
  }
}

const RELOADED = 'memory-console.reloaded'
/** The minimum time between two reloads, in milliseconds. */
const AGAIN_MS = 20_000

/** Reloads the page to fetch its new files, unless a recent reload did not help. @returns whether it reloads */
export function reloadOnce(now: number): boolean {
  try {
    if (now - Number(sessionStorage.getItem(RELOADED) ?? 0) < AGAIN_MS) return false
    sessionStorage.setItem(RELOADED, String(now))
  } catch {
    return false
  }
  globalThis.location.reload()
  return true
}
