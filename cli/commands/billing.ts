import { Argument, type Command } from 'commander'
import { z } from 'zod'
import { type ApiClient, createApiClient } from '../api-client.ts'
import { addPersonOptions, type PersonOptions, signIn, tokenOf } from '../person.ts'
import { formatMoment, type Terminal } from '../terminal.ts'
import { openSession, printJson } from './session.ts'

const Billing = z.looseObject({
  status: z.string(),
  tier: z.string().nullable(),
  interval: z.string().nullish(),
  creditsUsed: z.number(),
  creditsIncluded: z.number().nullable(),
  periodStart: z.string(),
  periodEnd: z.string(),
  trialEndsAt: z.string().nullish(),
  cancelAtPeriodEnd: z.boolean().optional(),
  plannedChange: z
    .looseObject({ at: z.string(), tier: z.string().nullable(), interval: z.string().nullable() })
    .nullish(),
  overageAnswers: z.number().optional(),
  overageCostUsd: z.string().optional(),
  paymentMethodMissing: z.boolean().optional(),
})
const HostedPage = z.looseObject({ url: z.string() })
const NewWorkspace = z.looseObject({ organization: z.looseObject({ id: z.string(), name: z.string() }) })

interface CheckoutOptions extends PersonOptions {
  annual?: boolean
  new?: string
}

/** `billing show|checkout|portal`: a workspace's plan, for its owner or admin. */
export function addBillingCommand(program: Command): void {
  const billing = program.command('billing').description("show, buy and change a workspace's plan")
  addPersonOptions(billing.command('show'))
    .description('show plan, credits and the cost of extra answers')
    .action(show)
  addPersonOptions(billing.command('checkout'))
    .description('print the address of the checkout page')
    .addArgument(new Argument('<tier>').choices(['builder', 'studio', 'scale']))
    .option('--annual', 'pay yearly')
    .option('--new <name>', 'create a workspace with this name for the plan')
    .action(checkout)
  addPersonOptions(billing.command('portal'))
    .description('print the address of the customer portal')
    .action(portal)
}

async function show(options: PersonOptions, command: Command): Promise<void> {
  const { client, terminal, json } = openSession(command)
  const { person } = await signIn(client.url, options)
  const plan = await person.call(Billing, { method: 'GET', path: '/v1/console/billing' })
  if (json) return printJson(terminal, plan)
  for (const [name, value] of rowsOf(plan)) terminal.print(`${name.padEnd(9)}${value}`)
}

function rowsOf(plan: z.output<typeof Billing>): [string, string][] {
  const { trialEndsAt, plannedChange, overageAnswers = 0 } = plan
  const name = plan.tier === null ? 'none' : planNamed(plan.tier, plan.interval)
  const rows: [string, string][] = [
    ['Plan', `${name} (${plan.status})`],
    ['Credits', `${plan.creditsUsed} of ${plan.creditsIncluded ?? 'unlimited'}`],
    ['Period', `${formatMoment(plan.periodStart)} to ${formatMoment(plan.periodEnd)}`],
  ]
  if (trialEndsAt) rows.push(['Trial', `until ${formatMoment(trialEndsAt)}`])
  if (overageAnswers > 0)
    rows.push([
      'Extra',
      `${overageAnswers} answers, ${trialEndsAt ? 'free in the trial' : `${plan.overageCostUsd ?? '?'} USD so far`}`,
    ])
  if (plannedChange) {
    const { at, tier } = plannedChange
    const next = tier === null ? '' : `${planNamed(tier, plannedChange.interval)} from `
    rows.push([tier === null ? 'Ends' : 'Then', next + formatMoment(at)])
  } else if (plan.cancelAtPeriodEnd === true) rows.push(['Ends', 'with the period'])
  if (plan.paymentMethodMissing === true) rows.push(['Card', 'missing: add one in the portal'])
  return rows
}

function planNamed(tier: string, interval: string | null | undefined): string {
  return tier + (interval ? `, ${interval}` : '')
}

async function checkout(tier: string, options: CheckoutOptions, command: Command): Promise<void> {
  const { client, terminal, json } = openSession(command)
  const { person, workspace } =
    options.new === undefined
      ? { ...(await signIn(client.url, options)), workspace: undefined }
      : await makeWorkspace(client.url, options.new, options)
  const page = await person.call(HostedPage, {
    method: 'POST',
    path: '/v1/console/billing/checkout',
    body: { tier, interval: options.annual === true ? 'annual' : 'monthly' },
  })
  if (json)
    return printJson(terminal, { ...page, ...(workspace === undefined ? {} : { organization: workspace }) })
  if (workspace !== undefined) terminal.print(`The new workspace is ${workspace.id}`)
  printPage(terminal, page.url)
}

async function makeWorkspace(
  url: string,
  name: string,
  options: PersonOptions,
): Promise<{ person: ApiClient; workspace: { id: string; name: string } }> {
  const key = await tokenOf(url, options)
  const { organization } = await createApiClient({ url, key }).call(NewWorkspace, {
    method: 'POST',
    path: '/v1/console/organizations',
    body: { name },
  })
  const person = createApiClient({ url, key, organizationId: organization.id })
  return { person, workspace: organization }
}

async function portal(options: PersonOptions, command: Command): Promise<void> {
  const { client, terminal, json } = openSession(command)
  const { person } = await signIn(client.url, options)
  const page = await person.call(HostedPage, { method: 'POST', path: '/v1/console/billing/portal' })
  if (json) return printJson(terminal, page)
  printPage(terminal, page.url)
}

function printPage(terminal: Terminal, url: string): void {
  terminal.print(`Open this page\n  ${url}`)
}
