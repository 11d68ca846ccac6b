import { afterAll } from 'vitest'
import { startWebEmulator } from '../../../emulators/web/index.ts'
import { checkConnector } from '../../../test/connectors/conformance.ts'
import { createProviderHarness } from '../../../test/support/provider-harness.ts'
import { createTextExtractor } from '../../file-text/index.ts'
import { createWebAdapter } from './adapter.ts'
import { web as provider } from './index.ts'

const extractor = createTextExtractor()
afterAll(() => extractor.close())

// A public site has no grants, tokens or readers.
checkConnector({
  provider,
  // A site has at most 2,000 pages, and the suite adds some.
  mostThings: 1_500,
  async connect({ thingsPerPage, limits = {}, signal }) {
    let sync: ReturnType<typeof createProviderHarness> | undefined
    const site = await startWebEmulator({ now: () => sync?.now ?? Date.UTC(2026, 0, 1) })
    const paths = new Set<string>()
    let revision = 0
    const index = (): void => {
      const links = [...paths].map((path) => `<a href="${path}">Note</a>`).join(' ')
      // A new time with an old mark would be no change.
      revision += 1
      site.put('/', `<title>Notes</title><!-- ${revision} --><p>All notes of this site.</p>${links}`)
    }
    index()
    const adapter = createWebAdapter({
      clock: { now: () => new Date(sync?.now ?? 0) },
      extractor,
      pagesPerPage: thingsPerPage,
      isAllowed: (address) => address === '127.0.0.1',
    })
    const { credentials, ...account } = await adapter.connect(
      { start: `${site.url}/`, pages: '2000' },
      new AbortController().signal,
    )
    const options = { adapter, account, accessToken: () => '', extra: credentials.extra ?? {}, limits }
    const harness = createProviderHarness({ ...options, ...(signal && { signal }) })
    sync = harness
    const put = (path: string, text: string): void => {
      site.put(path, `<title>Note</title><h1>Note</h1><p>${text}</p>`)
      paths.add(path)
      index()
    }
    const remove = (path: string): void => {
      site.remove(path)
      paths.delete(path)
      index()
    }
    const texts = new Map<string, string>()
    let count = 0
    return {
      sync: harness,
      adapter,
      fresh: () => createProviderHarness({ ...options, now: harness.now }),
      add(text) {
        count += 1
        const path = `/notes/${String(count).padStart(3, '0')}.html`
        texts.set(path, text)
        put(path, text)
        return path
      },
      edit: put,
      remove,
      move(path) {
        remove(path)
        put(path.replace('/notes/', '/archive/'), texts.get(path) ?? '')
      },
      break: (path) => site.faults.add({ path, status: 500 }),
      mend: () => site.faults.clear(),
      requests: {
        faults: site.faults,
        tooMany: (seconds) => ({ status: 429, headers: { 'retry-after': String(seconds) } }),
      },
      async close() {
        await site.close()
        if (site.impolite.length > 0) throw new Error(site.impolite.join('\n'))
      },
    }
  },
})
