import { useRouter } from '@tanstack/react-router'
import { Link } from 'lucide-react'
import { useConsole } from '../../session/context.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { count } from '../../ui/format.ts'
import { linkSearch, type Shared, shortEnough } from './question-link.ts'

/** Copies a link to a question, for colleagues. The label says that a follow-up's link has the earlier questions. */
export function CopyLink({ isLabelled = false, ...shared }: Shared & { isLabelled?: boolean }) {
  const { config } = useConsole()
  const { organization } = useWorkspace()
  const { href } = useRouter().buildLocation({ to: '/ask', search: linkSearch(organization.id, shared) })
  const address = shortEnough(config.publicUrl + href)
  if (address === null) return null
  const { length } = shared.earlier
  const what = length === 0 ? 'Copy link' : `Copy link with ${count(length, 'earlier question')}`
  return (
    <CopyButton
      value={address}
      label={isLabelled ? what : `${what}: ${shared.question}`}
      icon={Link}
      isLabelled={isLabelled}
    />
  )
}
