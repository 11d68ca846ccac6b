import path from 'node:path'
import { z } from 'zod'
import { defineProvider, type Provider } from '../provider.ts'
import { required } from '../settings.ts'
import { folderForm } from './form.ts'

const listed = (list: string): string[] =>
  list
    .split(',')
    .map((root) => root.trim())
    .filter((root) => root !== '')

export const folder: Provider<'folder'> = defineProvider({
  id: 'folder',
  name: 'Folder',
  brings: "Files of a folder on the service's machine.",
  icon: 'M3 6h6l2 2.5h10V19H3z',
  color: '#8a5a00',
  settings: {
    FOLDER_ROOTS: z
      .string()
      .refine(
        (list) => listed(list).length > 0 && listed(list).every((root) => path.isAbsolute(root)),
        'must be absolute paths, separated by commas',
      )
      .optional()
      .describe(
        "Folders on the service's machine below which workspaces may connect folders, separated by commas. `PROVIDERS` must also name `folder`",
      ),
  },
  form: folderForm,
  needs: ['FOLDER_ROOTS'],
  // The roots are the same for every workspace, so the operator decides which one may read them.
  isGated: true,
  audience: 'everyone',
  async createAdapter(settings, { extractor }) {
    const { createFolderAdapter } = await import('./adapter.ts')
    return createFolderAdapter({
      roots: listed(required(settings.FOLDER_ROOTS, 'FOLDER_ROOTS')),
      extractor,
    })
  },
})
