import { Button, Group, Text } from '@mantine/core'
import { Upload } from 'lucide-react'
import { type ReactNode, useRef, useState } from 'react'
import { FORMATS_IN_WORDS } from '../../../../src/file-text/text-format.ts'
import { formatBytes } from '../../ui/format.ts'
import classes from './drop-zone.module.css'
import { chosenFiles, droppedFiles, FILES_MAX } from './dropped-files.ts'
import { FILE_BYTES_MAX, type GivenFile } from './file-check.ts'
import { useDrop } from './use-drop.ts'

type Take = (reading: Promise<GivenFile[]>) => void

/** Accepts files and folders by drag and drop, or by its buttons. */
export function DropZone({
  onFiles,
  isBusy,
}: {
  onFiles: (files: readonly GivenFile[]) => Promise<void>
  isBusy: boolean
}) {
  const [error, setError] = useState<string | null>(null)
  const read = async (reading: Promise<GivenFile[]>): Promise<void> => {
    setError(null)
    try {
      const given = await reading
      if (given.length >= FILES_MAX) setError(`Only the first ${FILES_MAX} files were added.`)
      await onFiles(given.slice(0, FILES_MAX))
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : 'no reason given'
      setError(`The browser could not read the dropped files: ${reason}`)
    }
  }
  const take: Take = (reading) => void read(reading)
  const { isOver, zoneRef } = useDrop((data) => take(droppedFiles(data)))
  return (
    <div className={classes.zone} data-over={isOver} role="group" aria-label="Drop files here" ref={zoneRef}>
      <span className={classes.icon} aria-hidden>
        <Upload size={20} />
      </span>
      <Text fw={560}>Drop files or a folder here</Text>
      <Text size="sm" c="dimmed">
        {FORMATS_IN_WORDS}, up to{' '}
        <Text span inherit style={{ whiteSpace: 'nowrap' }}>
          {formatBytes(FILE_BYTES_MAX)}
        </Text>{' '}
        each
      </Text>
      <Group gap="xs" mt="xs" justify="center">
        <Chooser label="Files to import" isBusy={isBusy} onTake={take}>
          Choose files
        </Chooser>
        <Chooser label="Folder to import" isBusy={isBusy} onTake={take} isFolder>
          Choose a folder
        </Chooser>
      </Group>
      {error !== null && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {error}
        </Text>
      )}
    </div>
  )
}

function Chooser({
  label,
  isBusy,
  isFolder = false,
  onTake,
  children,
}: {
  label: string
  isBusy: boolean
  isFolder?: boolean
  onTake: Take
  children: ReactNode
}) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button variant="default" size="xs" loading={isBusy} onClick={() => input.current?.click()}>
        {children}
      </Button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={label}
        {...(isFolder ? { webkitdirectory: '' } : {})}
        onChange={(event) => {
          onTake(Promise.resolve(chosenFiles(event.currentTarget.files)))
          event.currentTarget.value = ''
        }}
      />
    </>
  )
}
