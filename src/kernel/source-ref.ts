export interface SourceRef {
  organizationId: string
  sourceId: string
}
