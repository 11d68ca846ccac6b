import { FileText, HardDrive, Hash, Mail, type LucideIcon } from 'lucide-react'
import type { Schemas } from '../api/client.ts'
import classes from './provider.module.css'

export type ProviderId = Schemas['Source']['provider']

const PROVIDERS: Record<ProviderId, { name: string; icon: LucideIcon }> = {
  slack: { name: 'Slack', icon: Hash },
  google_drive: { name: 'Google Drive', icon: HardDrive },
  notion: { name: 'Notion', icon: FileText },
  gmail: { name: 'Gmail', icon: Mail },
}

/** A provider's name as people know it; undefined for what is none. */
export function providerName(id: string | null): string | undefined {
  return Object.entries(PROVIDERS).find(([known]) => known === id)?.[1].name
}

/** A provider by its sign and its name. */
export function Provider({ id }: { id: ProviderId }) {
  const { name } = PROVIDERS[id]
  return (
    <span className={classes.provider}>
      <ProviderIcon id={id} />
      {name}
    </span>
  )
}

/** Its sign alone, for where the name stands beside it. */
export function ProviderIcon({ id }: { id: ProviderId }) {
  const { icon: Icon } = PROVIDERS[id]
  return (
    <span className={classes.icon} aria-hidden>
      <Icon size={15} strokeWidth={1.9} />
    </span>
  )
}
