import { Modal, PasswordInput, Textarea, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { type ProviderId, providerName } from '../../api/provider-list.ts'
import { SubmitForm } from '../../ui/submit-form.tsx'
import { useReturnFocus } from '../../ui/use-return-focus.ts'
import { useConnect, useConnectByForm } from './use-connect.ts'
import { useConnectors } from './use-sources.ts'

type Field = Schemas['ConnectFormField']

/** Connects an account by a redirect to the provider, or by a form in `dialog`, which the caller renders. */
export function useConnecting(provider: ProviderId, { allowFirst = false } = {}) {
  const connectors = useConnectors()
  const connect = useConnect(provider, { allowFirst })
  const [isOpen, setOpen] = useState(false)
  const fields = connectors.data?.find((connector) => connector.provider === provider)?.form ?? null
  const dialog: ReactNode =
    fields !== null && isOpen ? (
      <ConnectDialog
        provider={provider}
        fields={fields}
        allowFirst={allowFirst}
        onClose={() => setOpen(false)}
      />
    ) : null
  return {
    begin: () => (fields === null ? connect.mutate() : setOpen(true)),
    isPending: connect.isPending || connectors.isPending,
    error: connect.error,
    dialog,
  }
}

function ConnectDialog({
  provider,
  fields,
  allowFirst,
  onClose,
}: {
  provider: ProviderId
  fields: readonly Field[]
  allowFirst: boolean
  onClose: () => void
}) {
  useReturnFocus()
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const connect = useConnectByForm(provider, { allowFirst })
  const navigate = useNavigate()
  const isMissing = fields.some(({ name, required }) => required && (values[name] ?? '').trim() === '')
  const faultOf = ({ name, label }: Field): string | undefined => {
    const message = connect.error?.issues.find(({ path }) => path === `fields.${name}`)?.message
    // API messages name the field; the form shows its label.
    return message?.startsWith(`${name} `) ? label + message.slice(name.length) : message
  }
  const isFaultShown = fields.some((field) => faultOf(field) !== undefined)
  const submit = (): void => {
    connect.mutate(values, {
      onSuccess: (sourceId) =>
        void navigate({ to: '/sources/$sourceId', params: { sourceId } }).then(onClose),
    })
  }
  return (
    <Modal opened onClose={onClose} title={`Connect ${providerName(provider) ?? provider}`}>
      <SubmitForm
        action="Connect"
        work={{ isPending: connect.isPending, error: isFaultShown ? null : connect.error }}
        isComplete={!isMissing}
        onSubmit={submit}
        onCancel={onClose}
      >
        {fields.map((field, position) => (
          <FieldInput
            key={field.name}
            field={field}
            value={values[field.name] ?? ''}
            onChange={(value) => setValues((before) => ({ ...before, [field.name]: value }))}
            fault={faultOf(field)}
            isFirst={position === 0}
          />
        ))}
      </SubmitForm>
    </Modal>
  )
}

function FieldInput({
  field: { label, help, secret, multiline, required },
  value,
  onChange,
  fault,
  isFirst,
}: {
  field: Field
  value: string
  onChange: (value: string) => void
  fault: string | undefined
  isFirst: boolean
}) {
  const props = {
    label,
    description: help,
    required,
    value,
    onChange: (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value),
    error: fault,
    autoComplete: 'off',
    ...(isFirst && { 'data-autofocus': true }),
  }
  if (secret) return <PasswordInput {...props} />
  return multiline ? <Textarea {...props} autosize minRows={2} maxRows={8} /> : <TextInput {...props} />
}
