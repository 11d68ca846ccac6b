import { Lock } from 'lucide-react'
import { useWorkspace } from '../../session/workspace.tsx'
import { TextLink } from '../../ui/links.tsx'
import { Note } from './note.tsx'

/**
 * Says that what a person may not read was not searched; never whether there is any. Renders nothing while permissions
 * are not enforced.
 */
export function PermissionsHint() {
  const { organization, isAdmin } = useWorkspace()
  if (organization.permissions === 'off') return null
  return (
    <Note
      icon={<Lock size={18} aria-hidden />}
      title="Only what you may read was searched"
      text={
        isAdmin ? (
          <>
            Permissions apply to owners and admins too. The Permissions tab of a{' '}
            <TextLink to="/sources" inherit underline="always">
              source
            </TextLink>{' '}
            shows who may read it.
          </>
        ) : (
          'If you expected an answer, ask an admin of the workspace to check your access to its source.'
        )
      }
    />
  )
}
