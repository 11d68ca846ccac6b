import { Button } from '@mantine/core'
import { CircleAlert } from 'lucide-react'
import { EmptyState } from '../ui/empty-state.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { Panel } from '../ui/panel.tsx'

/** A page whose own code failed, or whose file is gone since the service was updated. */
export function BrokenPage({ error }: { error: unknown }) {
  return (
    <>
      <PageHeader title="This page broke" />
      <Panel>
        <EmptyState
          icon={CircleAlert}
          title="Something in the console went wrong"
          text={`Nothing that is stored was touched. Reloading mostly helps: ${error instanceof Error ? error.message : 'no reason is known.'}`}
          action={<Button onClick={() => globalThis.location.reload()}>Reload</Button>}
        />
      </Panel>
    </>
  )
}
