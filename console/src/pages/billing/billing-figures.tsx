import type { Schemas } from '../../api/client.ts'
import { formatNumber } from '../../ui/format.ts'
import { formatDollars } from './format-money.ts'
import { Meter } from '../../ui/meter.tsx'
import { formatDate, useNow } from '../../ui/relative-time.tsx'
import { Stat, Stats } from '../../ui/stat.tsx'
import { Status } from '../../ui/status.tsx'
import { describeSubscription, planName } from './plan-words.ts'
import { trialLeft, whatIsPlanned } from './plans.ts'

function plannedWords({ name, at }: { name: string | null; at: string }): string {
  return name === null ? `Ends on ${formatDate(at)}` : `${name} from ${formatDate(at)}`
}

/** The plan and its usage in figures. */
export function BillingFigures({ plan }: { plan: Schemas['Billing'] }) {
  const { tone, word } = describeSubscription(plan.status)
  const trial = trialLeft(plan.trialEndsAt, useNow())
  const planned = whatIsPlanned(plan)
  return (
    <Stats>
      <Stat label="Plan" value={plan.status === 'internal' ? 'Internal' : planName(plan.tier)}>
        <Status tone={planned === null ? tone : 'waiting'}>
          {planned === null ? word : plannedWords(planned)}
        </Status>
        {trial !== null && <div>{trial}</div>}
      </Stat>
      <Stat label="Credits used" value={formatNumber(plan.creditsUsed)}>
        {plan.creditsIncluded === null
          ? 'No limit'
          : `of ${formatNumber(plan.creditsIncluded)} until ${formatDate(plan.periodEnd)}`}
        {plan.creditsIncluded !== null && (
          <Meter used={plan.creditsUsed} included={plan.creditsIncluded} label="Credits used" />
        )}
      </Stat>
      {plan.overageAnswers > 0 && (
        <Stat label="Extra answers" value={formatNumber(plan.overageAnswers)}>
          {trial === null
            ? `${formatDollars(Number(plan.overageCostUsd))} so far in this period`
            : 'Free in the trial'}
        </Stat>
      )}
      <Stat label="Agents" value={formatNumber(plan.agentsUsed)}>
        {plan.agentsIncluded === null ? 'No limit' : `of ${formatNumber(plan.agentsIncluded)}`}
      </Stat>
      <Stat label="Connectors" value={formatNumber(plan.connectorsUsed)}>
        {plan.connectorsIncluded === null ? 'No limit' : `of ${formatNumber(plan.connectorsIncluded)}`}
      </Stat>
    </Stats>
  )
}
