import { expect, it, onTestFinished } from 'vitest'
import { checkConnector } from '../../conformance.ts'
import { createProviderHarness, type ProviderHarness } from '../../../support/provider-harness.ts'
import { createExampleAdapter } from './adapter.ts'
import { startExampleEmulator } from './emulator.ts'
import { exampleProvider as provider } from './index.ts'

checkConnector({
  provider,
  revokedMessage: /^token_revoked$/,
  async connect({ thingsPerPage, limits = {}, signal }) {
    let harness: ProviderHarness | undefined
    const now = (): Date => new Date(harness?.now ?? 0)
    const emulator = await startExampleEmulator({ now: () => now().getTime() })
    const adapter = createExampleAdapter({ apiUrl: emulator.url, notesPerPage: thingsPerPage, now })
    const fields = { token: emulator.token() }
    const { credentials, ...account } = await adapter.connect(fields, new AbortController().signal)
    const source = { adapter, account, accessToken: () => credentials.accessToken }
    const sync = createProviderHarness({ ...source, limits, ...(signal && { signal }) })
    harness = sync
    return {
      sync,
      adapter,
      fresh: () => createProviderHarness({ ...source, now: sync.now }),
      add: (text) => emulator.add({ text }),
      edit: (id, text) => emulator.change(id, { text }),
      remove: (id) => emulator.remove(id),
      move: (id) => emulator.change(id, { folder: 'Archive' }),
      break: (id) => emulator.faults.add({ path: `/notes/${id}`, status: 500, body: { error: 'internal' } }),
      mend: () => emulator.faults.clear(),
      requests: {
        faults: emulator.faults,
        tooMany: (seconds) => ({ status: 429, headers: { 'retry-after': String(seconds) } }),
      },
      revoke: () => emulator.grants.revokeAll(),
      restrict: (id, email) => emulator.change(id, { readers: [email] }),
      close: () => emulator.close(),
    }
  },
})

it('names the field whose value is refused', async () => {
  const emulator = await startExampleEmulator()
  onTestFinished(() => emulator.close())
  const adapter = createExampleAdapter({ apiUrl: emulator.url, now: () => new Date() })
  const { signal } = new AbortController()
  for (const [token, message] of [
    ['example-wrong', 'Example refuses the token'],
    [' ', expect.any(String)],
  ])
    await expect(adapter.connect({ token }, signal)).rejects.toMatchObject({
      code: 'validation_failed',
      details: { issues: [{ path: 'fields.token', message }] },
    })
})
