import type { ProviderId } from '../kernel/provider-id.ts'
import { findProvider } from '../providers/index.ts'

/** The account of a push-only source. Clients recognize such sources by it. */
export function pushAccount(provider: ProviderId): string {
  return `push:${provider}`
}

/** The name of a workspace's first push-only source of a provider. */
export function firstPushName(provider: ProviderId): string {
  return `${findProvider(provider).name} (push)`
}
