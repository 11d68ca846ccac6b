import { useWorkspace } from '../../session/workspace.tsx'
import { AdminHome } from './admin-home.tsx'
import { MemberHome } from './member-home.tsx'

/** The first page: for admins whether the memory is healthy, for members what is in it. */
export function HomePage() {
  const { isAdmin } = useWorkspace()
  return isAdmin ? <AdminHome /> : <MemberHome />
}
