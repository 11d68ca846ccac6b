import { Alert, Button, Menu } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { chooseTarget, download } from '../../data/download.ts'
import { useConsole } from '../../session/context.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { formatBytes } from '../../ui/format.ts'
import type { AuditFilters } from './audit-filters.ts'
import { EXPORT_TYPES, type ExportFormat, exportName, exportPath } from './audit-export.ts'

/** Exports the filtered events. `bytes`: how many have arrived. The result is null if the user cancels. */
export function useExport(filters: AuditFilters) {
  const { session } = useConsole()
  const { organization } = useWorkspace()
  const queries = useQueryClient()
  const [bytes, setBytes] = useState(0)
  const controller = useRef<AbortController>(null)
  useEffect(() => () => controller.current?.abort(), [])
  const run = useMutation({
    async mutationFn(format: ExportFormat): Promise<number | null> {
      setBytes(0)
      const target = await chooseTarget(exportName(format, new Date()), EXPORT_TYPES[format])
      if (target === null) return null
      controller.current = new AbortController()
      const { signal } = controller.current
      return await download({
        credentials: session,
        organizationId: organization.id,
        path: exportPath(format, filters),
        target,
        onProgress: setBytes,
        signal,
      })
    },
    // The trail records the export itself.
    onSuccess: () => queries.invalidateQueries({ queryKey: [organization.id, 'audit-events'] }),
  })
  return { run, bytes }
}

export function ExportMenu({
  isBusy,
  onChoose,
}: {
  isBusy: boolean
  onChoose: (format: ExportFormat) => void
}) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" leftSection={<Download size={15} aria-hidden />} loading={isBusy}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onChoose('csv')}>CSV, for a spreadsheet</Menu.Item>
        <Menu.Item onClick={() => onChoose('jsonl')}>JSON lines, for a program</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

/** The progress of an export, or its final size. */
export function ExportNotice({
  isBusy,
  bytes,
  total,
}: {
  isBusy: boolean
  bytes: number
  total: number | null
}) {
  if (isBusy)
    return (
      <Alert mb="lg" role="status">
        Exporting: {formatBytes(bytes)} so far…
      </Alert>
    )
  if (total === null) return null
  return (
    <Alert mb="lg" role="status">
      Exported: {formatBytes(total)}. The trail records the export.
    </Alert>
  )
}
