/** Filled in by the provider catalog (src/providers/catalog.ts), so that the kernel names no provider. */
export interface ProviderRegistry {}

/** A provider's id: the value of `provider` everywhere in the API. */
export type ProviderId = ProviderRegistry extends { id: infer Id extends string } ? Id : never
