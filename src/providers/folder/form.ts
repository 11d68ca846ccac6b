import path from 'node:path'
import { z } from 'zod'
import { formField } from '../form.ts'

export const folderForm = z.strictObject({
  path: formField(
    z
      .string()
      .trim()
      .max(1_000)
      .refine((folder) => path.isAbsolute(folder), 'must be an absolute path, such as /srv/documents')
      .refine((folder) => !folder.includes('\0'), 'must not contain a null character'),
    {
      label: 'Folder',
      help: "Absolute path of a folder on the service's machine, below a folder that its operator allows.",
    },
  ),
})
