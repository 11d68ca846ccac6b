import { Button } from '@mantine/core'
import { CircleAlert } from 'lucide-react'
import { EmptyState } from '../ui/empty-state.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { Panel } from '../ui/panel.tsx'

/** A page whose own code failed, or whose file is gone since the service was updated. */
export function BrokenPage({ error }: { error: unknown }) {
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
