import { filesProvider, providerName } from './provider-list.ts'

/** The fields that tell where an item comes from. */
interface Stored {
  provider: string
  url: string | null
  /** Where the service says it. */
  isFile?: boolean
  metadata?: Record<string, unknown>
}

/**
 * Whether an item was imported or uploaded as a file: the API stores files under a provider, and an import names the
 * format in the metadata. Without either, it is a file if it has no address: a provider's own items have one.
 */
export function isFile({ provider, url, isFile: said, metadata }: Stored): boolean {
  if (said !== undefined) return said
  if ((url ?? '') !== '') return false
  return metadata === undefined ? provider === filesProvider() : 'fileType' in metadata && 'path' in metadata
}

/** Where an item comes from, as people call it. */
export function originName(item: Stored): string {
  return isFile(item) ? 'File' : (providerName(item.provider) ?? item.provider)
}
