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
      const path = await placeOf(named, roots)
      return { externalAccountId: path, displayName: path }
    }),
    ...readingFeed(async (session) => {
      const check = () => checkPlace(session, roots)
      await check()
      return createFolderFeed(session, { extractor, filesPerPage, check })
    }),
  }
}
