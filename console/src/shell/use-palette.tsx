import { useQueryClient } from '@tanstack/react-query'
import { type ComponentType, type ReactNode, useEffect, useEffectEvent, useState } from 'react'
import { flushSync } from 'react-dom'
import { isServiceReady } from '../session/service-ready.ts'
import { ME } from '../session/user-api.ts'
import { reloadOnce } from '../data/page-file.ts'

const isMac = /Mac|iPhone|iPad/.test(globalThis.navigator.userAgent)
/** The shortcut as printed on the keyboard. */
export const PALETTE_SHORTCUT = isMac ? '⌘K' : 'Ctrl K'
/** The shortcut in the syntax of `aria-keyshortcuts`. */
export const PALETTE_KEYS = isMac ? 'Meta+K' : 'Control+K'

type PaletteView = ComponentType<{ isOpen: boolean; onClose: () => void }>

/** The command palette, available by shortcut on every page. Its file loads on first use. */
export function usePalette(): {
  open: () => void
  isOpen: boolean
  palette: ReactNode
} {
  const queries = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const [View, setView] = useState<PaletteView | null>(null)
  const load = async (): Promise<void> => {
    try {
      const { Palette } = await import('../palette/palette.tsx')
      // Mantine returns the focus only if a dialog was closed before it opened.
      flushSync(() => setView(() => Palette))
      setOpen(true)
    } catch {
      // A new version has other file names. If the service is unreachable, failing queries report that.
      if (await isServiceReady()) reloadOnce(Date.now())
      else await queries.invalidateQueries({ queryKey: ME })
    }
  }
  const open = (): void => {
    if (View === null) void load()
    else setOpen(true)
  }
  const toggle = useEffectEvent(() => (isOpen ? setOpen(false) : open()))
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (!(isMac ? event.metaKey : event.ctrlKey) || event.key.toLowerCase() !== 'k') return
      event.preventDefault()
      toggle()
    }
    globalThis.addEventListener('keydown', press)
    return () => globalThis.removeEventListener('keydown', press)
  }, [])
  return { open, isOpen, palette: View && <View isOpen={isOpen} onClose={() => setOpen(false)} /> }
}
