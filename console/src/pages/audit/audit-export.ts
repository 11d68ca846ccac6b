import type { AuditFilters } from './audit-filters.ts'

export type ExportFormat = 'csv' | 'jsonl'

export const EXPORT_TYPES: Record<ExportFormat, string> = { csv: 'text/csv', jsonl: 'application/x-ndjson' }

export function exportName(format: ExportFormat, at: Date): string {
  return `audit-${at.toISOString().slice(0, 10)}.${format}`
}

export function exportPath(format: ExportFormat, filters: AuditFilters): string {
  return `/v1/console/audit-events/export?${new URLSearchParams({ format, ...filters }).toString()}`
}
