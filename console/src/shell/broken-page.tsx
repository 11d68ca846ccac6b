import { Button } from '@mantine/core'
import { CircleAlert, RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { useWhenReady } from '../session/service-ready.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { Panel } from '../ui/panel.tsx'
import { MissingPageFile, reloadOnce } from '../data/page-file.ts'

/** A page whose own code failed, or whose file is missing since the service stopped or was updated. */
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

/** Reloads by itself as soon as the service answers: it has the files of its version. */
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
          text={isStuck ? 'Reload the page.' : 'The page reloads when the service answers.'}
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
