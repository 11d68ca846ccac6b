import { useRouter } from '@tanstack/react-router'
import { Link } from 'lucide-react'
import { useConsole } from '../../session/context.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { count } from '../../ui/format.ts'
import type { AskSearch } from './ask-search.ts'
import { linkSearch, type Shared, shortEnough } from './question-link.ts'

/** Copies a link to a question, for colleagues. The label says that a follow-up's link has the earlier questions. */
export function CopyLink({ isLabeled = false, ...shared }: Shared & { isLabeled?: boolean }) {
  const { organization } = useWorkspace()
  const { length } = shared.earlier
  const what = length === 0 ? 'Copy link' : `Copy link with ${count(length, 'earlier question')}`
  return (
    <CopyAddress
      search={linkSearch(organization.id, shared)}
      label={isLabeled ? what : `${what}: ${shared.question}`}
      isLabeled={isLabeled}
    />
  )
}

/** Copies the address of the Ask page with these search parameters, unless it is too long to open. */
export function CopyAddress({
  search,
  label,
  isLabeled = false,
}: {
  search: AskSearch
  label: string
  isLabeled?: boolean
}) {
  const { config } = useConsole()
  const { href } = useRouter().buildLocation({ to: '/ask', search })
  const address = shortEnough(config.publicUrl + href)
  if (address === null) return null
  return <CopyButton value={address} label={label} icon={Link} isLabeled={isLabeled} />
}
