import { Alert } from '@mantine/core'
import { CreditCard } from 'lucide-react'
import { TextLink } from '../../ui/links.tsx'
import { paymentFault } from '../billing/plans.ts'
import { useBilling } from '../billing/use-billing.ts'

/** With another status retrievals are refused. */
const RETRIEVING: ReadonlySet<string> = new Set(['trialing', 'active', 'past_due', 'internal'])

/** Says before a question is written that it would be refused. What a failed payment is about every page says. */
export function PlanNotice() {
  const { data } = useBilling()
  if (data === undefined || RETRIEVING.has(data.status) || paymentFault(data) !== null) return null
  return (
    <Alert
      color="orange"
      icon={<CreditCard size={18} aria-hidden />}
      title="This workspace has no active plan"
      role="status"
    >
      Questions and searches need one. <TextLink to="/billing">Choose a plan</TextLink>
    </Alert>
  )
}
