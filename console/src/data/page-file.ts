/** The file of a page could not be had: the service is away, or serves another version of the console by now. */
export class MissingPageFile extends Error {
  constructor(cause: unknown) {
    super('The file of this page could not be loaded', { cause })
    this.name = 'MissingPageFile'
  }
}

/** Loads a page. Its error says that the file is missing, in any browser and bundler. */
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
/** A page that is still missing after this long is reloaded again. */
const AGAIN_MS = 20_000

/** Reloads the page for its new files, unless that was done a moment ago and did not help. @returns whether it does */
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
