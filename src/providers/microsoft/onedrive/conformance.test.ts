import { afterAll, describe } from 'vitest'
import type { MicrosoftEmulator } from '../../../../emulators/microsoft/index.ts'
import type { EmulatedDrive, EmulatedItem } from '../../../../emulators/microsoft/drive-state.ts'
import { checkConnector } from '../../../../test/connectors/conformance.ts'
import { connectMicrosoft } from '../../../../test/support/microsoft.ts'
import { createTextExtractor } from '../../../file-text/index.ts'
import { createOneDriveAdapter, ONEDRIVE_SCOPES } from './adapter.ts'
import { onedrive as provider } from './index.ts'

const extractor = createTextExtractor({ threads: 1 })
afterAll(() => extractor.close())

const libraryOf = ({ files }: MicrosoftEmulator): EmulatedDrive =>
  [...files.drives.values()].find(({ siteId }) => siteId !== null) ??
  files.createDrive('Documents', files.createSite('hr'), [{ siteGroup: 'HR Members' }])

describe.each([
  ['the own OneDrive', ({ drive }: MicrosoftEmulator) => drive],
  ['a library of a followed site', libraryOf],
])('%s', (_name, driveOf) => {
  checkConnector({
    provider,
    revokedMessage: /^Continuous access evaluation/,
    async connect({ thingsPerPage: itemsPerPage, limits, signal }) {
      const { microsoft, adapter, sync, fresh } = await connectMicrosoft({
        scopes: ONEDRIVE_SCOPES,
        createAdapter: (settings, clock) =>
          createOneDriveAdapter({ settings, clock, extractor, itemsPerPage }),
        prepare: driveOf,
        ...(limits && { limits }),
        ...(signal && { signal }),
      })
      const { files, faults, grants } = microsoft
      const itemOf = (id: string): EmulatedItem => {
        const item = files.items.get(id)
        if (item === undefined) throw new Error(`there is no file ${id}`)
        return item
      }
      return {
        sync,
        adapter,
        fresh,
        add: (content) => files.add(driveOf(microsoft), { content }).id,
        edit: (id, content) => files.edit(itemOf(id), { content }),
        remove: (id) => files.remove(itemOf(id)),
        move: (id) => files.move(itemOf(id), files.folder(driveOf(microsoft), 'Area')),
        break: (id) => faults.add({ path: `/items/${id}`, status: 500 }),
        mend: () => faults.clear(),
        requests: {
          faults,
          path: '/v1.0/',
          tooMany: (seconds) => ({ status: 429, headers: { 'retry-after': String(seconds) } }),
        },
        revoke: () => grants.revokeAll(),
        expireTokens: () => grants.expireAccessTokens(),
        restrict: (id, email) => {
          files.share(itemOf(id), { grants: [{ user: email.split('@')[0] ?? '' }], isUnique: true })
        },
        close: () => microsoft.close(),
      }
    },
  })
})
