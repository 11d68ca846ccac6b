import { Alert, Button, Stack, Text } from '@mantine/core'
import { CreditCard, TriangleAlert } from 'lucide-react'
import type { Schemas } from '../../api/client.ts'
import { OutcomeNotice } from '../../ui/outcome-notice.tsx'
import { ErrorNotice } from '../../ui/error-state.tsx'
import { formatNumber } from '../../ui/format.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Reading } from '../../ui/reading.tsx'
import { formatDate } from '../../ui/relative-time.tsx'
import { BillingFigures } from './billing-figures.tsx'
import { PlanCards } from './plan-cards.tsx'
import { InvoicesPanel } from './invoices-panel.tsx'
import { isSubscribed, paymentFault } from './plan-words.ts'
import { isWithoutPlan, wasBought, whatIsPlanned, whatWouldStop } from './plans.ts'
import { UsageChart } from './usage-chart.tsx'
import { useBilling } from './use-billing.ts'
import { usePortal } from './use-hosted-page.ts'

/** The plan, its usage, and buttons to buy or change it. */
export function BillingPage() {
  const billing = useBilling()
  const portal = usePortal()
  const canManage = billing.data !== undefined && isSubscribed(billing.data)
  return (
    <>
      <PageHeader
        title="Billing"
        text={
          billing.data === undefined || isWithoutPlan(billing.data)
            ? 'Your plan and its use.'
            : periodInWords(billing.data)
        }
        {...(canManage
          ? {
              action: (
                <Button variant="default" loading={portal.isPending} onClick={() => portal.mutate()}>
                  Cards and invoices
                </Button>
              ),
            }
          : {})}
      />
      <Stack gap="lg">
        <OutcomeNotice isConfirmed={canManage} />
        {portal.error && <ErrorNotice error={portal.error} />}
        <Reading query={billing}>
          {(plan) => (
            <>
              <Faults plan={plan} />
              {isWithoutPlan(plan) ? <NoPlan /> : <BillingFigures plan={plan} />}
              {plan.creditsUsed > 0 && <UsageChart />}
              <Buying plan={plan} />
              {wasBought(plan) && <InvoicesPanel />}
            </>
          )}
        </Reading>
      </Stack>
    </>
  )
}

/** The period whose use the page shows, by UTC days. Fits into one line on phones, as the text before it. */
function periodInWords({ periodStart, periodEnd }: Schemas['Billing']): string {
  return `From ${formatDate(periodStart)} to ${formatDate(periodEnd)}.`
}

function NoPlan() {
  return (
    <Alert color="orange" icon={<CreditCard size={18} aria-hidden />} title="No plan yet" role="status">
      Questions and searches need a plan. Choose one below.
    </Alert>
  )
}

/** Problems with the plan that the user has to fix. */
function Faults({ plan }: { plan: Schemas['Billing'] }) {
  const fault = paymentFault(plan)
  const stopped = whatWouldStop({ agents: plan.agentsIncluded, connectors: plan.connectorsIncluded }, plan)
  return (
    <>
      {fault && (
        <Alert color="red" icon={<TriangleAlert size={18} aria-hidden />} title={fault.title} role="alert">
          {fault.text} Cards and invoices are at the payment processor.
        </Alert>
      )}
      {stopped !== null && (
        <Alert color="orange" icon={<TriangleAlert size={18} aria-hidden />} title="Over the plan's limits">
          {stopped.replace('would stop', 'have stopped')} They resume when you remove others or upgrade.
        </Alert>
      )}
      <Planned plan={plan} />
    </>
  )
}

/** The effects of a scheduled downgrade, while the user can still undo it. */
function Planned({ plan }: { plan: Schemas['Billing'] }) {
  const planned = whatIsPlanned(plan)
  if (planned?.plan == null) return null
  const { plan: next, name, at } = planned
  return (
    <Alert
      color="orange"
      icon={<TriangleAlert size={18} aria-hidden />}
      title={`Your plan becomes ${name} on ${formatDate(at)}`}
      role="status"
    >
      {`Until then nothing changes. After that you have ${formatNumber(next.creditsPerMonth)} credits a month. `}
      {whatWouldStop(next, plan)} You can undo the change under Cards and invoices.
    </Alert>
  )
}

function Buying({ plan }: { plan: Schemas['Billing'] }) {
  if (plan.status === 'internal')
    return (
      <Panel title="This workspace is not billed">
        <Text c="dimmed">
          There is no plan to buy and no limit on credits, agents or connectors. Use is counted.
        </Text>
      </Panel>
    )
  if (plan.tier === 'enterprise')
    return (
      <Panel title="Your plan is set by contract">
        <Text c="dimmed">The operator of this service changes it.</Text>
      </Panel>
    )
  return <PlanCards billing={plan} />
}
