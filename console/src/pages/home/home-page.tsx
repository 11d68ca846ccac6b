import { useWorkspace } from '../../session/workspace.tsx'
import { AdminHome } from './admin-home.tsx'
import { MemberHome } from './member-home.tsx'

/** Admins see the health of the memory, members its contents. */
export function HomePage() {
  const { isAdmin } = useWorkspace()
  return isAdmin ? <AdminHome /> : <MemberHome />
}
