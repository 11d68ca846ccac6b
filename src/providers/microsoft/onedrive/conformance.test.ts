import { describe } from 'vitest'
import type { EmulatedDrive, EmulatedItem } from '../../../../emulators/microsoft/drive-state.ts'
import type { MicrosoftEmulator } from '../../../../emulators/microsoft/index.ts'
import { checkMicrosoftConnector } from '../../../../test/connectors/microsoft.ts'
import { createOneDriveAdapter, ONEDRIVE_SCOPES } from './adapter.ts'
import { onedrive as provider } from './index.ts'

const libraryOf = ({ files }: MicrosoftEmulator): EmulatedDrive =>
  [...files.drives.values()].find(({ siteId }) => siteId !== null) ??
  files.createDrive('Documents', files.createSite('hr'), [{ siteGroup: 'HR Members' }])

describe.each([
  ['the own OneDrive', ({ drive }: MicrosoftEmulator) => drive],
  ['a library of a followed site', libraryOf],
])('%s', (_name, driveOf) => {
  checkMicrosoftConnector({
    provider,
    scopes: ONEDRIVE_SCOPES,
    createAdapter: createOneDriveAdapter,
    prepare: driveOf,
    things(microsoft) {
      const { files, faults } = microsoft
      const itemOf = (id: string): EmulatedItem => {
        const item = files.items.get(id)
        if (item === undefined) throw new Error(`there is no file ${id}`)
        return item
      }
      return {
        add: (content) => files.add(driveOf(microsoft), { content }).id,
        edit: (id, content) => files.edit(itemOf(id), { content }),
        remove: (id) => files.remove(itemOf(id)),
        move: (id) => files.move(itemOf(id), files.folder(driveOf(microsoft), 'Area')),
        break: (id) => faults.add({ path: `/items/${id}`, status: 500 }),
        restrict: (id, email) => {
          files.share(itemOf(id), { grants: [{ user: email.split('@')[0] ?? '' }], isUnique: true })
        },
      }
    },
  })
})
