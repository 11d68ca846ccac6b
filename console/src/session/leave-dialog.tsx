import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { unwrap } from '../api/client.ts'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { ME } from './user-api.ts'
import { useWorkspace } from './workspace.tsx'

/** Confirms that the user wants to leave the open workspace. The service refuses this for the last owner. */
export function LeaveDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { organization, organizations } = useWorkspace()
  const leave = useLeave()
  const close = (): void => {
    onClose()
    leave.reset()
  }
  const after =
    organizations.length > 1 ? 'Your other workspaces stay as they are.' : 'You have no other workspace.'
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title={`Leave ${organization.name}?`}
      text={`You lose access at once and can return only by invitation. Your open invitations are revoked. Keys that you created stay with the workspace. ${after}`}
      confirm="Leave"
      work={leave}
      onConfirm={() => leave.mutate(undefined, { onSuccess: onClose })}
      onClose={close}
    />
  )
}

/** Removes the user from the workspace, then opens Home of another one or the form that creates one. */
function useLeave() {
  const { api, organization, user } = useWorkspace()
  const queries = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: async () => {
      await unwrap(api.DELETE('/v1/console/members/{id}', { params: { path: { id: user.id } } }))
    },
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: ME })
      await navigate({ to: '/' })
      queries.removeQueries({ queryKey: [organization.id] })
    },
  })
}
