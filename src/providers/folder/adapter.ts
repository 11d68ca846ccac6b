import { opendir } from 'node:fs/promises'
import type { TextExtractor } from '../../file-text/index.ts'
import { readingFeed } from '../feed.ts'
import { createFormConnection } from '../form.ts'
import type { FormAdapter } from '../adapter.ts'
import { createFolderFeed } from './feed.ts'
import { folderForm } from './form.ts'
import { checkPlace, placeOf } from './place.ts'

export interface FolderAdapterOptions {
  /** Folders below which others may be connected. */
  roots: readonly string[]
  extractor: TextExtractor
  /** Files to read per page; 50 by default. */
  filesPerPage?: number
}

/** Reads the files of a folder on this machine. */
export function createFolderAdapter({
  roots,
  extractor,
  filesPerPage = 50,
}: FolderAdapterOptions): FormAdapter {
  return {
    provider: 'folder',
    ...createFormConnection(folderForm, async ({ path: named }) => {
      const { path, device } = await placeOf(named, roots)
      return { externalAccountId: path, displayName: path, extra: { device } }
    }),
    ...readingFeed(async (session) => {
      const { externalAccountId: path } = session.account
      await checkPlace({ path, device: session.extra['device'] }, roots, () => isEmpty(path))
      return createFolderFeed(session, { extractor, filesPerPage })
    }),
  }
}

async function isEmpty(folder: string): Promise<boolean> {
  for await (const _entry of await opendir(folder)) return false
  return true
}
