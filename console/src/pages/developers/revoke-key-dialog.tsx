import { Button, Group, Modal } from '@mantine/core'
import type { Schemas } from '../../api/client.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { ButtonLink } from '../../ui/links.tsx'
import { formatDateTime } from '../../ui/relative-time.tsx'
import { useRevokeKey } from './use-api-keys.ts'

type ApiKey = Schemas['ApiKey']

/** Revokes a key, then links to what it did. `apiKey`: null while closed. */
export function RevokeKeyDialog({ apiKey, onClose }: { apiKey: ApiKey | null; onClose: () => void }) {
  const revoke = useRevokeKey()
  const close = (): void => {
    onClose()
    revoke.reset()
  }
  if (apiKey !== null && revoke.isSuccess)
    return (
      <Modal opened onClose={close} title={`${apiKey.name} is revoked`}>
        <Group justify="flex-end">
          <Button variant="default" onClick={close} data-autofocus>
            Close
          </Button>
          <ButtonLink to="/audit" search={{ actor: apiKey.id }}>
            View its activity
          </ButtonLink>
        </Group>
      </Modal>
    )
  return (
    <ConfirmDialog
      isOpen={apiKey !== null}
      title={`Revoke ${apiKey?.name ?? 'the key'}?`}
      text={apiKey === null ? '' : whatStops(apiKey)}
      confirm="Revoke key"
      work={revoke}
      onConfirm={() => {
        if (apiKey) revoke.mutate(apiKey.id)
      }}
      onClose={close}
    />
  )
}

function whatStops({ prefix, lastUsedAt, allowedActions }: ApiKey): string {
  const use =
    lastUsedAt === null ? 'It was never used.' : `It was last used on ${formatDateTime(lastUsedAt)}.`
  const ingests = allowedActions.includes('ingest') ? ' Documents it pushed stay.' : ''
  return `Programs that use ${prefix}… get 401 from the next request. ${use}${ingests} This cannot be undone.`
}
