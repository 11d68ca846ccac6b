import { Tooltip } from '@mantine/core'
import { File } from 'lucide-react'
import { isFile, originName } from '../api/origin.ts'
import { drawingOf, providerFacts, type ProviderId } from '../api/provider-list.ts'
import classes from './provider.module.css'

export function Provider({ id }: { id: ProviderId }) {
  const { name } = providerFacts(id)
  return (
    <span className={classes.provider}>
      <ProviderIcon id={id} />
      {name}
    </span>
  )
}

export function Origin({
  item,
}: {
  item: {
    provider: ProviderId
    url: string | null
    isFile?: boolean
    metadata?: Record<string, unknown>
  }
}) {
  return (
    <span className={classes.provider}>
      {isFile(item) ? <FileIcon /> : <ProviderIcon id={item.provider} />}
      {originName(item)}
    </span>
  )
}

export function FileIcon() {
  return (
    <span className={classes.icon} aria-hidden>
      <File size={15} strokeWidth={1.9} aria-hidden />
    </span>
  )
}

/** The drawing without its frame. */
export function ProviderSign({ id }: { id: string }) {
  return (
    <span className={classes.bare} style={{ color: tint(id) }} aria-hidden>
      <Drawing id={id} />
    </span>
  )
}

/** The icon alone and without its frame, for lines of text. */
export function OriginSign({ item }: { item: Parameters<typeof isFile>[0] }) {
  return (
    <span className={classes.sign} aria-hidden>
      {isFile(item) ? <File size={14} strokeWidth={1.9} /> : <ProviderSign id={item.provider} />}
    </span>
  )
}

/** Only the icon, for places that also show the name. */
export function ProviderIcon({ id }: { id: ProviderId }) {
  return (
    <span className={classes.icon} style={{ color: tint(id) }} aria-hidden>
      <Drawing id={id} />
    </span>
  )
}

/** Provider icons with accessible names and tooltips; null: all providers. */
export function ProviderList({ ids }: { ids: readonly ProviderId[] | null }) {
  if (ids === null) return <span className={classes.all}>All providers</span>
  const [only, ...others] = ids
  if (only !== undefined && others.length === 0) return <Provider id={only} />
  return (
    <span className={classes.several}>
      {ids.map((id) => (
        <Tooltip key={id} label={providerFacts(id).name}>
          <span
            className={classes.icon}
            style={{ color: tint(id) }}
            role="img"
            aria-label={providerFacts(id).name}
          >
            <Drawing id={id} />
          </span>
        </Tooltip>
      ))}
    </span>
  )
}

function Drawing({ id }: { id: string }) {
  return (
    <svg
      viewBox="0 0 24 24"
      width={16}
      height={16}
      fill="none"
      stroke="currentColor"
      strokeWidth={2}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden
    >
      <path d={drawingOf(id).icon} />
    </svg>
  )
}

/** A provider's color, lightened on dark backgrounds. */
function tint(id: string): string {
  const { color } = drawingOf(id)
  return `light-dark(${color}, color-mix(in srgb, ${color} 45%, white))`
}
