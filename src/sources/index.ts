export { createProviderAdapters, type ProviderAdapters } from './create-provider-adapters.ts'
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
export { computePolicyHealth } from './providers/google-drive/index.ts'
export { readSlackEvent, SLACK_SYSTEM_SUBTYPES, verifySlackSignature } from './providers/slack/index.ts'
export { sourceRoutes, type SourceServices } from './routes.ts'
export { createSources, insertPushOnlySource, type SourceChannels, type SourceView } from './sources.ts'
