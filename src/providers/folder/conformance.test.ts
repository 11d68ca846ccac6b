import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { mkdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll } from 'vitest'
import { checkConnector } from '../../../test/connectors/conformance.ts'
import { createProviderHarness } from '../../../test/support/provider-harness.ts'
import { createTextExtractor } from '../../file-text/index.ts'
import { DEFAULT_PROVIDER_LIMITS } from '../adapter.ts'
import { createFolderAdapter } from './adapter.ts'
import { folder as provider } from './index.ts'

const extractor = createTextExtractor()
afterAll(() => extractor.close())

// There are no requests, tokens or readers to test.
checkConnector({
  provider,
  async connect({ thingsPerPage, limits = {}, signal }) {
    const root = await realpath(await mkdtemp(path.join(tmpdir(), 'folder-')))
    const adapter = createFolderAdapter({ roots: [root], extractor, filesPerPage: thingsPerPage })
    const { credentials, ...account } = await adapter.connect({ path: root }, new AbortController().signal)
    const options = { adapter, account, accessToken: () => '', extra: credentials.extra ?? {}, limits }
    const sync = createProviderHarness({ ...options, ...(signal && { signal }) })
    let count = 0
    let mend = (): void => {}
    return {
      sync,
      adapter,
      fresh: () => createProviderHarness({ ...options, now: sync.now }),
      add(text) {
        count += 1
        const file = path.join(root, `part ${count % 3}`, `note-${String(count).padStart(3, '0')}.txt`)
        mkdirSync(path.dirname(file), { recursive: true })
        writeFileSync(file, text)
        return file
      },
      edit: (file, text) => writeFileSync(file, text),
      remove: (file) => rmSync(file),
      move(file) {
        mkdirSync(path.join(root, 'archive'), { recursive: true })
        renameSync(file, path.join(root, 'archive', path.basename(file)))
      },
      break(file) {
        const text = readFileSync(file)
        truncateSync(file, DEFAULT_PROVIDER_LIMITS.maxDownloadBytes + 1)
        mend = () => writeFileSync(file, text)
      },
      mend: () => mend(),
      close: () => rm(root, { recursive: true }),
    }
  },
})
