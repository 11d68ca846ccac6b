import { Alert, Button, Stack, Text } from '@mantine/core'
import { ShieldCheck, TriangleAlert } from 'lucide-react'
import { ErrorNotice } from '../../ui/error-state.tsx'
import { count } from '../../ui/format.ts'
import { Panel } from '../../ui/panel.tsx'
import classes from './policy-panel.module.css'
import type { Source } from './source-words.ts'
import { useStartRun } from './use-runs.ts'

interface Warning {
  code: string
  message: string
  cure: string
}

/** Whether the permissions of all files are known, with a fix if not. */
export function PolicyPanel({ source, health }: { source: Source; health: Record<string, unknown> }) {
  const start = useStartRun(source.id)
  const warnings = Array.isArray(health.warnings) ? health.warnings.filter(isWarning) : []
  const files = typeof health.files === 'number' ? health.files : 0
  return (
    <Panel title="File permissions">
      {warnings.length === 0 ? (
        <span className={classes.good}>
          <ShieldCheck size={18} aria-hidden />
          {`Known for all ${count(files, 'file')}.`}
        </span>
      ) : (
        <Stack gap="sm">
          {warnings.map(({ code, message, cure }) => (
            <Alert key={code} color="orange" icon={<TriangleAlert size={18} aria-hidden />} title={message}>
              <Text size="sm">{cure}</Text>
              {code === 'full_resync_required' && (
                <Button
                  mt="sm"
                  size="xs"
                  onClick={() => start.mutate({ fullResync: true })}
                  loading={start.isPending}
                >
                  Full sync
                </Button>
              )}
            </Alert>
          ))}
          {start.isSuccess && (
            <Text size="sm" role="status">
              The full sync has started. The warning disappears when it has read the files again.
            </Text>
          )}
          {start.error && <ErrorNotice error={start.error} />}
        </Stack>
      )}
    </Panel>
  )
}

function isWarning(given: unknown): given is Warning {
  return (
    typeof given === 'object' &&
    given !== null &&
    ['code', 'message', 'cure'].every((name) => name in given && typeof Reflect.get(given, name) === 'string')
  )
}
