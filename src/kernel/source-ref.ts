/** Names one source. */
export interface SourceRef {
  organizationId: string
  sourceId: string
}
