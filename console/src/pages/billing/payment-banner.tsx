import { Alert } from '@mantine/core'
import { TriangleAlert } from 'lucide-react'
import { TextLink } from '../../ui/links.tsx'
import { paymentFault } from './plans.ts'
import { useBilling } from './use-billing.ts'

/** On every page of an admin: that a payment failed, and where that is mended. */
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
