export { createProviderAdapters, type ProviderAdapters } from './create-provider-adapters.ts'
export { isItemsOwn, ownFailure } from './item-fault.ts'
export {
  DEFAULT_PROVIDER_LIMITS,
  ProviderError,
  type ChangePage,
  type ConnectedAccount,
  type Credentials,
  type ItemFailure,
  type JsonValue,
  type ProviderAdapter,
  type ProviderItem,
  type ProviderLimits,
  type ProviderSession,
  type PushState,
} from './provider.ts'
// Not through the providers' own index: that loads their SDKs, which most starts do not need.
export { computePolicyHealth } from './providers/google-drive/policy-health.ts'
export { readSlackEvent, verifySlackSignature } from './providers/slack/slack-events.ts'
export { SLACK_SYSTEM_SUBTYPES } from './providers/slack/slack-messages.ts'
export { createRemovals, type Removals } from './removals.ts'
export { sourceRoutes, type SourceServices } from './routes.ts'
export { createSources, insertPushOnlySource, type SourceChannels, type SourceView } from './sources.ts'
