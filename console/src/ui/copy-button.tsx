import { ActionIcon, Button, CopyButton as Copy, Tooltip } from '@mantine/core'
import { Check, Copy as CopyIcon, type LucideIcon } from 'lucide-react'

/** Copies a text and confirms it in the tooltip or label, and to screen readers. */
export function CopyButton({
  value,
  label,
  icon = CopyIcon,
  isLabeled = false,
}: {
  value: string
  label: string
  icon?: LucideIcon
  /** Shows the label beside the icon, where copying is the main action. */
  isLabeled?: boolean
}) {
  if (isLabeled)
    return (
      <Copy value={value} timeout={2_000}>
        {({ copied, copy }) => (
          <Button
            size="xs"
            variant="default"
            leftSection={<CopyState icon={icon} copied={copied} />}
            onClick={copy}
          >
            {copied ? 'Copied' : label}
          </Button>
        )}
      </Copy>
    )
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
            <CopyState icon={icon} copied={copied} />
          </ActionIcon>
        </Tooltip>
      )}
    </Copy>
  )
}

function CopyState({ icon: Icon, copied }: { icon: LucideIcon; copied: boolean }) {
  return copied ? <Check size={14} aria-hidden /> : <Icon size={14} aria-hidden />
}
