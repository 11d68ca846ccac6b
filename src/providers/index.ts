export { DEFAULT_PROVIDERS, type DefaultProviderId } from './catalog.ts'
export { createProviderAdapters, type ProviderAdapters } from './create-adapters.ts'
export { isEnabled } from './provider.ts'
export type { CleanUpJob, Provider, ProviderEnvironment, ProviderWebhook, WebhookEvent } from './provider.ts'
export {
  DEFAULT_PROVIDER_LIMITS,
  ProviderError,
  type ChangePage,
  type ConnectedAccount,
  type AccessPolicy,
  type Credentials,
  type GroupMembers,
  type ItemFailure,
  type ItemRead,
  type JsonValue,
  type PermissionsPage,
  type FormFields,
  type OAuthAdapter,
  type ProviderAdapter,
  type ProviderChannel,
  type ProviderItem,
  type ProviderLimits,
  type ProviderSession,
  type PushState,
  usesOAuth,
} from './adapter.ts'
export { fieldsOf, type FormField } from './form.ts'
export { namedProvidersSetting, PROVIDERS, providerList } from './named-providers.ts'
export {
  catalogSettings,
  describeProviders,
  findProvider,
  type ProviderDescription,
  providers,
  providerSettings,
} from './find-provider.ts'
export { providerOf, providersOf } from './scope.ts'
export { SentSettings, SourceSettings } from './source-settings.ts'
export { isItemsOwn, ownFailure } from './item-fault.ts'
