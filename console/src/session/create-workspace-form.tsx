import { TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { unwrap } from '../api/client.ts'
import { SubmitForm } from '../ui/submit-form.tsx'
import { ME, useUserApi } from './user-api.ts'

/** Creates a workspace that the user owns and passes its ID to `onMade`. */
export function CreateWorkspaceForm({ onMade }: { onMade: (organizationId: string) => void }) {
  const api = useUserApi()
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const create = useMutation({
    mutationFn: () => unwrap(api.POST('/v1/console/organizations', { body: { name: name.trim() } })),
    async onSuccess({ organization }) {
      await queries.invalidateQueries({ queryKey: ME })
      onMade(organization.id)
    },
  })
  return (
    <SubmitForm
      action="Create workspace"
      work={create}
      isComplete={name.trim() !== ''}
      onSubmit={() => create.mutate()}
    >
      <TextInput
        label="Name"
        description="Your company or team."
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        maxLength={200}
        required
        data-autofocus
      />
    </SubmitForm>
  )
}
