import { providerName } from './provider-list.ts'
import { FILES_PROVIDER } from './providers.ts'

/** The fields that tell where an item comes from. */
interface Stored {
  provider: string
  url: string | null
}

/** Whether an item was imported or uploaded as a file: the API stores files under a provider, whose own items have addresses. */
export function isFile({ provider, url }: Stored): boolean {
  return provider === FILES_PROVIDER && (url ?? '') === ''
}

/** Where an item comes from, as people call it. */
export function originName(item: Stored): string {
  return isFile(item) ? 'File' : (providerName(item.provider) ?? item.provider)
}
