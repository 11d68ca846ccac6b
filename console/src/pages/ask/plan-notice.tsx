import { Alert } from '@mantine/core'
import { CreditCard } from 'lucide-react'
import { useWorkspace } from '../../session/workspace.tsx'
import { TextLink } from '../../ui/links.tsx'
import { paymentFault } from '../billing/plan-words.ts'
import { useBilling } from '../billing/use-billing.ts'

/** Warns before the user writes a question that would be refused. Failed payments have their own banner. */
export function PlanNotice() {
  const { organization, isAdmin } = useWorkspace()
  const { data } = useBilling()
  if (organization.hasPlan || (data !== undefined && paymentFault(data) !== null)) return null
  return (
    <Alert
      color="orange"
      icon={<CreditCard size={18} aria-hidden />}
      title="This workspace has no active plan"
      role="status"
    >
      {isAdmin ? (
        <>
          Questions and searches need one.{' '}
          <TextLink to="/billing" inherit underline="always">
            Choose a plan
          </TextLink>
        </>
      ) : (
        'Questions and searches need one. Ask an admin of the workspace to choose a plan.'
      )}
    </Alert>
  )
}
