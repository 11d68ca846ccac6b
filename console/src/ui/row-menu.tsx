import { ActionIcon, Menu } from '@mantine/core'
import { Ellipsis, type LucideIcon } from 'lucide-react'
import { useRef } from 'react'

export interface RowAction {
  label: string
  icon: LucideIcon
  onChoose: () => void
  /** A destructive action, shown last and in red. */
  isGrave?: boolean
  /** Why the action is disabled. */
  disabledBecause?: string | undefined
}

/** The actions of a row, in a menu. `of` names the row for screen readers. */
export function RowMenu({ of, actions }: { of: string; actions: readonly RowAction[] }) {
  const button = useRef<HTMLButtonElement>(null)
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon ref={button} variant="subtle" color="gray" aria-label={`Actions for ${of}`}>
          <Ellipsis size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown maw="20rem">
        {actions.map(({ label, icon: Icon, onChoose, isGrave = false, disabledBecause }) => (
          <Menu.Item
            key={label}
            leftSection={<Icon size={15} aria-hidden />}
            onClick={() => {
              // A dialog returns the focus to where it was, and the chosen entry disappears.
              button.current?.focus()
              onChoose()
            }}
            disabled={disabledBecause !== undefined}
            {...(isGrave ? { c: 'var(--mantine-color-error)' } : {})}
          >
            {label}
            {disabledBecause !== undefined && (
              <span style={{ display: 'block', fontSize: '0.8125rem' }}>{disabledBecause}</span>
            )}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
