/** Filled in by the catalogue of providers (src/providers/catalog.ts): the kernel knows that there are some and names none. */
export interface ProviderRegistry {}

/** A provider's id, such as stands in `provider` everywhere in the API. */
export type ProviderId = ProviderRegistry extends { id: infer Id extends string } ? Id : never
