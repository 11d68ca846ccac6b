import { filesProvider, providerName } from './provider-list.ts'

/** The fields that identify an item's origin. */
interface Stored {
  provider: string
  url: string | null
  /** Set where the API returns it. */
  isFile?: boolean
  metadata?: Record<string, unknown>
}

/**
 * Whether an item was imported or uploaded as a file. The API stores files under a provider, and an import names the
 * format in the metadata. Without either, an item without a URL is a file: items of a provider have one.
 */
export function isFile({ provider, url, isFile: said, metadata }: Stored): boolean {
  if (said !== undefined) return said
  if ((url ?? '') !== '') return false
  return metadata === undefined ? provider === filesProvider() : 'fileType' in metadata && 'path' in metadata
}

export function originName(item: Stored): string {
  return isFile(item) ? 'File' : (providerName(item.provider) ?? item.provider)
}
