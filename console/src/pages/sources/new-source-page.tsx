import { Stack } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { FORMATS_IN_WORDS } from '../../../../src/file-text/text-format.ts'
import { ButtonLink } from '../../ui/links.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Reading } from '../../ui/reading.tsx'
import { BackLink } from '../../ui/back-link.tsx'
import { ConnectorList } from './connector-list.tsx'
import { PushOnlyForm } from './push-only-form.tsx'
import { useConnectors } from './use-sources.ts'

/** The ways to add content: an account, files, or pushed documents. */
export function NewSourcePage() {
  const connectors = useConnectors()
  const navigate = useNavigate()
  return (
    <>
      <BackLink to="/sources">Sources</BackLink>
      <PageHeader title="Add a source" text="Connect an account, import files or push documents." />
      <Stack gap="lg">
        <Panel
          title="Connect an account"
          text="The account is synced and kept up to date. You choose at the provider what it can read."
          isFlush
        >
          <Reading query={connectors}>{(rows) => <ConnectorList connectors={rows} />}</Reading>
        </Panel>
        <Panel title="Import files" text={`${FORMATS_IN_WORDS}, one by one or a folder at a time.`}>
          <ButtonLink to="/sources/import" variant="default">
            Import files
          </ButtonLink>
        </Panel>
        <Panel title="Push documents" text="A source for documents that your programs push to /v1/ingest.">
          <PushOnlyForm
            onMade={({ id }) => void navigate({ to: '/sources/$sourceId', params: { sourceId: id } })}
          />
        </Panel>
      </Stack>
    </>
  )
}
