import { Modal } from '@mantine/core'
import type { Schemas } from '../../api/client.ts'
import { KEY_PLACEHOLDER } from './request-curl.ts'
import { SnippetTabs } from './snippet-tabs.tsx'

/** Code that uses a key, with a placeholder for its secret. `apiKey`: null while closed. */
export function UseKeyDialog({ apiKey, onClose }: { apiKey: Schemas['ApiKey'] | null; onClose: () => void }) {
  return (
    <Modal
      opened={apiKey !== null}
      onClose={onClose}
      title={`Use ${apiKey?.name ?? 'the key'}`}
      size="lg"
      closeButtonProps={{ 'aria-label': 'Close the examples' }}
    >
      {apiKey && <SnippetTabs apiKey={apiKey} secret={KEY_PLACEHOLDER} />}
    </Modal>
  )
}
