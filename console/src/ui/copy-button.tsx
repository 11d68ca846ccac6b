import { ActionIcon, CopyButton as Copy, Tooltip } from '@mantine/core'
import { Check, Copy as CopyIcon } from 'lucide-react'

/** Copies a text; says so by its tooltip and to screen readers. */
export function CopyButton({ value, label }: { value: string; label: string }) {
  return (
    <Copy value={value} timeout={2_000}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : label}>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            onClick={copy}
            aria-label={copied ? 'Copied' : label}
          >
            {copied ? <Check size={14} aria-hidden /> : <CopyIcon size={14} aria-hidden />}
          </ActionIcon>
        </Tooltip>
      )}
    </Copy>
  )
}
