import { Tooltip } from '@mantine/core'
import { BookOpen, File, FileText, GitBranch, HardDrive, Hash, Mail } from 'lucide-react'
import { isFile, originName } from '../api/origin.ts'
import { providerFacts, type ProviderId } from '../api/provider-list.ts'
import classes from './provider.module.css'

const SIGNS: Readonly<Record<string, typeof FileText>> = {
  book: BookOpen,
  branch: GitBranch,
  drive: HardDrive,
  hash: Hash,
  mail: Mail,
  page: FileText,
}

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

/** Only the icon, for places that also show the name. */
export function ProviderIcon({ id }: { id: ProviderId }) {
  return (
    <span className={classes.icon} aria-hidden>
      <Sign id={id} />
    </span>
  )
}

/** Provider icons with accessible names and tooltips; null: all providers. */
export function ProviderList({ ids }: { ids: readonly ProviderId[] | null }) {
  if (ids === null) return <>All providers</>
  return (
    <span className={classes.several}>
      {ids.map((id) => (
        <Tooltip key={id} label={providerFacts(id).name}>
          <span className={classes.icon} role="img" aria-label={providerFacts(id).name}>
            <Sign id={id} />
          </span>
        </Tooltip>
      ))}
    </span>
  )
}

function Sign({ id }: { id: ProviderId }) {
  const Icon = SIGNS[providerFacts(id).icon] ?? FileText
  return <Icon size={15} strokeWidth={1.9} aria-hidden />
}
