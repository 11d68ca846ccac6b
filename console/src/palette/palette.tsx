import { Modal } from '@mantine/core'
import { useState } from 'react'
import type { Entry } from './entries.ts'
import { PaletteSearch } from './palette-search.tsx'

/** The command palette: finds pages, items, and actions by name. */
export function Palette({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  // False after opening a page, which takes the focus itself.
  const [returnsFocus, setReturnsFocus] = useState(true)
  const run = (entry: Entry): void => {
    setReturnsFocus(!entry.isNavigation)
    onClose()
    entry.run()
  }
  return (
    <Modal.Root
      opened={isOpen}
      onClose={onClose}
      onExitTransitionEnd={() => setReturnsFocus(true)}
      returnFocus={returnsFocus}
      size="36rem"
      centered={false}
      transitionProps={{ duration: 0 }}
      padding={0}
    >
      <Modal.Overlay />
      <Modal.Content aria-label="Search and commands">
        <PaletteSearch onRun={run} />
      </Modal.Content>
    </Modal.Root>
  )
}
