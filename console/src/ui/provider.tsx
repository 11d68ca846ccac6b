import { Tooltip } from '@mantine/core'
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

/** Every provider there is. */
export const PROVIDER_IDS = Object.keys(PROVIDERS).filter((id): id is ProviderId => id in PROVIDERS)
/** The providers to choose from, as a select takes them. */
export const PROVIDER_CHOICES = PROVIDER_IDS.map((value) => ({ value, label: PROVIDERS[value].name }))

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
  return (
    <span className={classes.icon} aria-hidden>
      <Sign id={id} />
    </span>
  )
}

/** Providers by their signs, named to screen readers and when pointed at; null: all of them. */
export function ProviderList({ ids }: { ids: readonly ProviderId[] | null }) {
  if (ids === null) return <>All providers</>
  return (
    <span className={classes.several}>
      {ids.map((id) => (
        <Tooltip key={id} label={PROVIDERS[id].name}>
          <span className={classes.icon} role="img" aria-label={PROVIDERS[id].name}>
            <Sign id={id} />
          </span>
        </Tooltip>
      ))}
    </span>
  )
}

function Sign({ id }: { id: ProviderId }) {
  const { icon: Icon } = PROVIDERS[id]
  return <Icon size={15} strokeWidth={1.9} aria-hidden />
}
