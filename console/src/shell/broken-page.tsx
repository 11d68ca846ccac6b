import { Button } from '@mantine/core'
import { CircleAlert, RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { useWhenReady } from '../session/service-ready.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { Panel } from '../ui/panel.tsx'
import { MissingPageFile, reloadOnce } from '../data/page-file.ts'

/** Shown when a page throws, or when its file is missing because the service stopped or was updated. */
export function BrokenPage({ error }: { error: unknown }) {
  if (error instanceof MissingPageFile) return <MissingPage />
  return (
    <>
      <PageHeader title="This page failed" />
      <Panel>
        <EmptyState
          icon={CircleAlert}
          title="Something in the console went wrong"
          text={`Your data is safe. Reload the page. Reason: ${error instanceof Error ? error.message : 'unknown'}`}
          action={<Button onClick={() => globalThis.location.reload()}>Reload</Button>}
        />
      </Panel>
    </>
  )
}

/** Reloads when the service responds again, with the files of its current version. */
function MissingPage() {
  const [isStuck, setStuck] = useState(false)
  useWhenReady(!isStuck, () => setStuck(!reloadOnce(Date.now())))
  return (
    <>
      <PageHeader title="This page could not be loaded" />
      <Panel>
        <EmptyState
          icon={RefreshCw}
          title="The service is unreachable or was updated"
          text={isStuck ? 'Reload the page.' : 'The page reloads when the service responds.'}
          action={
            <Button variant="default" onClick={() => globalThis.location.reload()}>
              Reload
            </Button>
          }
        />
      </Panel>
    </>
  )
}
