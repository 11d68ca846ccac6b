import { Stack } from '@mantine/core'
import { OutcomeNotice } from '../../app/outcome-notice.tsx'
import { formatNumber } from '../../ui/format.ts'
import { Meter } from '../../ui/meter.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Reading } from '../../ui/reading.tsx'
import { formatDate } from '../../ui/relative-time.tsx'
import { Stat, Stats } from '../../ui/stat.tsx'
import { Status } from '../../ui/status.tsx'
import { describeSubscription, planName } from './plan-words.ts'
import { useBilling } from './use-billing.ts'

/** The plan, and what of it is used. */
export function BillingPage() {
  const billing = useBilling()
  return (
    <>
      <PageHeader title="Billing" text="Your plan, and what of it is used in this period." />
      <Stack gap="lg">
        <OutcomeNotice />
        <Reading query={billing}>
          {(plan) => {
            const { tone, word } = describeSubscription(plan.status)
            return (
              <Stats>
                <Stat label="Plan" value={plan.status === 'internal' ? 'Internal' : planName(plan.tier)}>
                  <Status tone={tone}>{word}</Status>
                </Stat>
                <Stat label="Credits used" value={formatNumber(plan.creditsUsed)}>
                  {plan.creditsIncluded === null
                    ? 'No limit'
                    : `of ${formatNumber(plan.creditsIncluded)} until ${formatDate(plan.periodEnd)}`}
                  {plan.creditsIncluded !== null && (
                    <Meter used={plan.creditsUsed} included={plan.creditsIncluded} label="Credits used" />
                  )}
                </Stat>
                <Stat label="Agent keys" value={formatNumber(plan.agentsUsed)}>
                  {plan.agentsIncluded === null ? 'No limit' : `of ${formatNumber(plan.agentsIncluded)}`}
                </Stat>
                <Stat label="Connectors" value={formatNumber(plan.connectorsUsed)}>
                  {plan.connectorsIncluded === null
                    ? 'No limit'
                    : `of ${formatNumber(plan.connectorsIncluded)}`}
                </Stat>
              </Stats>
            )
          }}
        </Reading>
      </Stack>
    </>
  )
}
