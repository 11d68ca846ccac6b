import { Compass } from 'lucide-react'
import { ButtonLink } from '../ui/links.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { Panel } from '../ui/panel.tsx'

/** Shown for an unknown path under the console's. */
export function NoSuchPage() {
  return (
    <>
      <PageHeader title="Page not found" />
      <Panel>
        <EmptyState
          icon={Compass}
          title="There is no page at this address"
          text="It may have moved, or the link is incomplete."
          action={<ButtonLink to="/">Go to Home</ButtonLink>}
        />
      </Panel>
    </>
  )
}
