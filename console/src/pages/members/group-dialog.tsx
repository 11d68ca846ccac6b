import { Button, Group as Row, Modal, Stack, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { ErrorNotice } from '../../ui/error-state.tsx'
import { type Group, usePutGroup } from './use-directory.ts'

export function GroupDialog({ group, onClose }: { group: Group | null; onClose: () => void }) {
  const put = usePutGroup()
  const [id, setId] = useState(group?.id ?? '')
  const [text, setText] = useState(group?.members.join('\n') ?? '')
  const members = text.split(/[\s,;]+/).filter((one) => one !== '')
  return (
    <Modal opened onClose={onClose} title={group === null ? 'Create a group' : (group.name ?? group.id)}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          put.mutate({ id: id.trim(), members }, { onSuccess: onClose })
        }}
      >
        <Stack>
          {group === null && (
            <TextInput
              label="ID"
              description="The ID that access policies use."
              placeholder="legal"
              value={id}
              onChange={(event) => setId(event.currentTarget.value)}
              maxLength={256}
              required
              data-autofocus
            />
          )}
          <Textarea
            label="Members"
            description="One email address per line."
            placeholder="ada@example.com"
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            autosize
            minRows={4}
            maxRows={14}
          />
          {put.error && <ErrorNotice error={put.error} />}
          <Row justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={put.isPending} disabled={id.trim() === ''}>
              {group === null ? 'Create group' : 'Save members'}
            </Button>
          </Row>
        </Stack>
      </form>
    </Modal>
  )
}
