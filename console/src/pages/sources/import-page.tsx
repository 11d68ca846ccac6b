import { Select, Stack, TextInput } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { ErrorNotice } from '../../ui/error-state.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Panel } from '../../ui/panel.tsx'
import { filesProvider, type ProviderId } from '../../api/provider-list.ts'
import { Reading } from '../../ui/reading.tsx'
import { BackLink } from '../../ui/back-link.tsx'
import { DropZone } from './drop-zone.tsx'
import type { GivenFile } from './file-check.ts'
import { ImportProgress } from './import-progress.tsx'
import classes from './push-only-form.module.css'
import { ProviderSelect } from './push-only-form.tsx'
import { fileTarget, isForFiles, isPushOnly, isUnused, nameOf, type Source } from './source-words.ts'
import { useImport, useWarnBeforeClosing } from './use-import.ts'
import { useCreateSource } from './use-source-changes.ts'
import { useSources } from './use-sources.ts'

const route = getRouteApi('/admins/sources/import')
const NEW = 'new'
const NAME_MAX = 100

/** Imports files from the user's computer into a source. */
export function ImportPage() {
  const sources = useSources()
  return (
    <>
      <BackLink to="/sources">Sources</BackLink>
      <PageHeader
        title="Import files"
        text="Each file is searchable as soon as it is stored. A file with the same name replaces the former one."
      />
      <Reading query={sources}>{(rows) => <Import sources={rows} />}</Reading>
    </>
  )
}

function Import({ sources }: { sources: readonly Source[] }) {
  const { source: asked } = route.useSearch()
  const [chosen, setChosen] = useState(() => fileTarget(sources, asked)?.id ?? NEW)
  const [name, setName] = useState('Files')
  const [provider, setProvider] = useState<ProviderId>(filesProvider())
  const [hidden, setHidden] = useState(0)
  const create = useCreateSource()
  const { queue, files } = useImport()
  useWarnBeforeClosing(files.some(({ outcome }) => outcome.is === 'waiting' || outcome.is === 'sending'))

  const take = async (given: readonly GivenFile[]): Promise<void> => {
    if (given.length === 0) return
    let into = chosen
    if (into === NEW) {
      // On failure nothing is imported. The page shows the error below.
      const made = await create
        .mutateAsync({ displayName: name.trim() || 'Files', provider })
        .catch(() => null)
      if (made === null) return
      into = made.id
      setChosen(made.id)
    }
    setHidden(queue.add(into, given))
  }

  return (
    <Stack gap="lg">
      <Panel>
        <Stack gap="lg">
          <div className={classes.form}>
            <Select
              label="Source"
              data={[
                ...sources
                  .filter(
                    (source) =>
                      isPushOnly(source) && (!isUnused(source) || isForFiles(source) || source.id === chosen),
                  )
                  .map((source) => ({ value: source.id, label: nameOf(source) })),
                { value: NEW, label: 'A new source' },
              ]}
              value={chosen}
              onChange={(value) => value !== null && setChosen(value)}
              allowDeselect={false}
            />
            {chosen === NEW && (
              <>
                <TextInput
                  label="Name"
                  value={name}
                  maxLength={NAME_MAX}
                  onChange={(event) => setName(event.currentTarget.value)}
                />
                <ProviderSelect value={provider} onChange={setProvider} />
              </>
            )}
          </div>
          <DropZone onFiles={take} isBusy={create.isPending} />
          {create.error && <ErrorNotice error={create.error} />}
        </Stack>
      </Panel>
      <ImportProgress queue={queue} files={files} hidden={hidden} />
    </Stack>
  )
}
