import { Button, Select, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { ErrorNotice } from '../../ui/error-state.tsx'
import { filesProvider, providerChoices, type ProviderId } from '../../api/provider-list.ts'
import classes from './push-only-form.module.css'
import type { Source } from './source-words.ts'
import { useCreateSource } from './use-source-changes.ts'

const NAME_MAX = 100

/** Creates a source without an account, for pushed documents. */
export function PushOnlyForm({ onMade }: { onMade: (source: Source) => void }) {
  const [displayName, setDisplayName] = useState('')
  const [provider, setProvider] = useState<ProviderId>(filesProvider())
  const create = useCreateSource()
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    create.mutate({ displayName: displayName.trim(), provider }, { onSuccess: onMade })
  }
  return (
    <form onSubmit={submit} className={classes.form}>
      <TextInput
        label="Name"
        placeholder="Support tickets"
        value={displayName}
        onChange={(event) => setDisplayName(event.currentTarget.value)}
        maxLength={NAME_MAX}
        required
      />
      <ProviderSelect value={provider} onChange={setProvider} />
      <Button type="submit" variant="default" loading={create.isPending} disabled={displayName.trim() === ''}>
        Create source
      </Button>
      {create.error && (
        <div className={classes.error}>
          <ErrorNotice error={create.error} />
        </div>
      )}
    </form>
  )
}

/** The provider that pushed documents count as. Keys can be limited to some providers. */
export function ProviderSelect({
  value,
  onChange,
}: {
  value: ProviderId
  onChange: (provider: ProviderId) => void
}) {
  return (
    <Select<ProviderId>
      label="Provider"
      description="Keys and searches that are limited to this provider find these documents."
      inputWrapperOrder={['label', 'input', 'description']}
      data={providerChoices()}
      value={value}
      onChange={(provider) => provider !== null && onChange(provider)}
      allowDeselect={false}
    />
  )
}
