import { Alert } from '@mantine/core'
import { TriangleAlert } from 'lucide-react'
import { TextLink } from '../../ui/links.tsx'
import { paymentFault } from './plan-words.ts'
import { useBilling } from './use-billing.ts'

/** Shown to admins on every page when a payment has failed, with a link to the fix. */
export function PaymentBanner() {
  const billing = useBilling()
  const fault = billing.data === undefined ? null : paymentFault(billing.data)
  if (fault === null) return null
  return (
    <Alert
      color="red"
      mb="lg"
      icon={<TriangleAlert size={18} aria-hidden />}
      title={fault.title}
      role="status"
    >
      {fault.text} <TextLink to="/billing">See billing</TextLink>
    </Alert>
  )
}
