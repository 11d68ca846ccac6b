import { Modal, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { SubmitForm } from '../../ui/submit-form.tsx'
import { useReturnFocus } from '../../ui/use-return-focus.ts'
import { type Group, usePutGroup } from './use-groups.ts'

export function GroupDialog({ group, onClose }: { group: Group | null; onClose: () => void }) {
  useReturnFocus()
  const put = usePutGroup()
  const [id, setId] = useState(group?.id ?? '')
  const [text, setText] = useState(group?.members.join('\n') ?? '')
  const members = text.split(/[\s,;]+/).filter((one) => one !== '')
  return (
    <Modal opened onClose={onClose} title={group === null ? 'Create a group' : (group.name ?? group.id)}>
      <SubmitForm
        action={group === null ? 'Create group' : 'Save members'}
        work={put}
        isComplete={id.trim() !== ''}
        onSubmit={() => put.mutate({ id: id.trim(), members }, { onSuccess: onClose })}
        onCancel={onClose}
      >
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
          data-autofocus={group !== null || undefined}
        />
      </SubmitForm>
    </Modal>
  )
}
