export const SOURCE_KINDS = ['message', 'document', 'file'] as const
export type SourceKind = (typeof SOURCE_KINDS)[number]
