import { Monitor, Moon, Sun } from 'lucide-react'

/** The themes that a user can choose. */
export const COLOR_SCHEMES = [
  { id: 'light', label: 'Light', icon: Sun },
  { id: 'dark', label: 'Dark', icon: Moon },
  { id: 'auto', label: 'System', icon: Monitor },
] as const
