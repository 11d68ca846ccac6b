import { Alert, Badge, Button, SegmentedControl, Title } from '@mantine/core'
import { Check } from 'lucide-react'
import { useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { ErrorNotice } from '../../ui/error-state.tsx'
import { formatNumber } from '../../ui/format.ts'
import { formatDollars } from './format-money.ts'
import { Panel } from '../../ui/panel.tsx'
import classes from './plan-cards.module.css'
import { isSubscribed } from './plan-words.ts'
import { type Interval, checkoutTerms, type Plan, PLANS, whatWouldStop } from './plans.ts'
import { useCheckout, usePortal } from './use-hosted-page.ts'

type Billing = Schemas['Billing']

/** The plans, monthly or annual. Subscribers change theirs in the payment portal. */
export function PlanCards({ billing }: { billing: Billing }) {
  const [interval, setInterval] = useState<Interval>(billing.interval ?? 'monthly')
  const checkout = useCheckout()
  const portal = usePortal()
  const isBought = isSubscribed(billing)
  const error = checkout.error ?? portal.error
  return (
    <Panel
      title="Plans"
      text={`${checkoutTerms(billing)} An annual plan costs about ten months.`.trim()}
      action={
        <SegmentedControl
          aria-label="Billing interval"
          data={[
            { value: 'monthly', label: 'Monthly' },
            { value: 'annual', label: 'Annual' },
          ]}
          value={interval}
          onChange={(value) => setInterval(value === 'annual' ? 'annual' : 'monthly')}
        />
      }
    >
      {error && <ErrorNotice error={error} />}
      <ul className={classes.cards}>
        {PLANS.map((plan) => (
          <PlanCard
            key={plan.tier}
            plan={plan}
            interval={interval}
            billing={billing}
            isBusy={portal.isPending || (checkout.isPending && checkout.variables.tier === plan.tier)}
            onChoose={() => (isBought ? portal.mutate() : checkout.mutate({ tier: plan.tier, interval }))}
          />
        ))}
      </ul>
    </Panel>
  )
}

function PlanCard({
  plan,
  interval,
  billing,
  isBusy,
  onChoose,
}: {
  plan: Plan
  interval: Interval
  billing: Billing
  isBusy: boolean
  onChoose: () => void
}) {
  const isBought = isSubscribed(billing)
  const isCurrent = isBought && billing.tier === plan.tier
  const stops = whatWouldStop(plan, billing)
  return (
    <li className={classes.card} data-current={isCurrent}>
      <div className={classes.name}>
        <Title order={3} size="h5">
          {plan.name}
        </Title>
        {isCurrent && <Badge tt="none">Your plan</Badge>}
      </div>
      <p className={classes.price}>
        {formatDollars(plan.price[interval])} <span>a {interval === 'annual' ? 'year' : 'month'}</span>
      </p>
      <ul className={classes.features}>
        {featuresOf(plan).map((feature) => (
          <li key={feature}>
            <Check size={15} aria-hidden />
            {feature}
          </li>
        ))}
      </ul>
      {stops !== null && !isCurrent && <Alert color="orange">{stops}</Alert>}
      <Button
        px="xs"
        variant={isBought ? 'default' : 'filled'}
        loading={isBusy}
        onClick={onChoose}
        aria-label={`${isCurrent ? 'Manage' : isBought ? 'Change to' : 'Choose'} ${plan.name}`}
      >
        {isCurrent ? 'Manage' : isBought ? 'Change to' : 'Choose'} {plan.name}
      </Button>
    </li>
  )
}

function featuresOf({ creditsPerMonth, overCap, agents, connectors }: Plan): string[] {
  return [
    `${formatNumber(creditsPerMonth)} credits a month`,
    overCap,
    agents === null ? 'Any number of agents' : `${agents} agents (keys that search or ask)`,
    connectors === null ? 'Any number of connectors' : `${connectors} connectors (connected accounts)`,
  ]
}
