/** The providers of the API document, in its order. */
export const PROVIDERS = ['slack', 'google_drive', 'notion', 'gmail'] as const
export type ProviderId = (typeof PROVIDERS)[number]
