import { Argument, type Command } from 'commander'
import { z } from 'zod'
import type { ApiClient } from '../api-client.ts'
import { askForName } from '../confirm.ts'
import { CommandError } from '../failures.ts'
import { decideAccess, operatorClient, OPERATOR_TOKEN_FILE } from '../operator-client.ts'
import { formatMoment, formatTable, printableLine } from '../terminal.ts'
import { organizationArgument, providerArgument, wholeNumber } from './options.ts'
import { openSession, printJson } from './session.ts'

const Subscription = z.looseObject({
  status: z.string(),
  tier: z.string().nullable(),
  creditsUsed: z.number(),
  creditsIncluded: z.number().nullable(),
})
const OrganizationList = z.looseObject({
  organizations: z.array(
    z.looseObject({
      id: z.string(),
      name: z.string(),
      removedAt: z.string().nullish(),
      subscription: Subscription.nullable(),
    }),
  ),
  nextCursor: z.string().nullable(),
})
const Removal = z.looseObject({ removal: z.looseObject({ name: z.string(), removedAt: z.string() }) })
const RequestList = z.looseObject({
  requests: z.array(
    z.looseObject({
      organizationId: z.string(),
      organizationName: z.string(),
      provider: z.string(),
      requestedByEmail: z.string().nullable(),
      createdAt: z.string(),
    }),
  ),
})

const Index = z.looseObject({
  approximateIndex: z.looseObject({
    status: z.string(),
    model: z.string().nullable(),
    chunksTotal: z.number(),
    chunksDone: z.number(),
    errorMessage: z.string().nullable(),
  }),
})
/** What a plan includes, up to the service's limit. */
const included = wholeNumber(2_147_483_647, 0)
/** Actions on an approximate index and their HTTP methods. */
const INDEX_METHODS = { show: 'GET', build: 'PUT', drop: 'DELETE' } as const

/** `operator organizations|remove|subscription|requests|access|index`. */
export function addOperatorCommand(program: Command): void {
  const operator = program
    .command('operator')
    .description(`act as the operator (OPERATOR_TOKEN, or the token in ${OPERATOR_TOKEN_FILE})`)
  operator.command('organizations').description('list workspaces and their plans').action(listOrganizations)
  operator
    .command('remove')
    .description('remove a workspace and its data; this cannot be undone')
    .addArgument(organizationArgument())
    .option('-y, --yes', 'do not ask for confirmation')
    .action(removeOrganization)
  operator
    .command('subscription')
    .description("set a workspace's plan")
    .addArgument(organizationArgument())
    .argument('<status>', 'such as trialing, active, past_due, canceled or internal')
    .option('--tier <tier>', 'builder, studio, scale or enterprise')
    .option('--credits <number>', "credits per month, instead of the tier's", included)
    .option('--agents <number>', "agents, instead of the tier's", included)
    .option('--connectors <number>', "connectors, instead of the tier's", included)
    .action(putSubscription)
  operator.command('requests').description('list requests for gated providers').action(listRequests)
  operator
    .command('access')
    .description('grant or deny a provider to a workspace')
    .addArgument(organizationArgument())
    .addArgument(providerArgument())
    .addArgument(new Argument('<decision>').choices(['grant', 'deny']))
    .action(putAccess)
  operator
    .command('index')
    .description("show, build or drop a workspace's approximate index")
    .addArgument(organizationArgument())
    .addArgument(new Argument('[act]').choices(Object.keys(INDEX_METHODS)).default('show'))
    .action(actOnIndex)
}

async function listOrganizations(_options: unknown, command: Command): Promise<void> {
  const { client, terminal, json } = openSession(command)
  const operator = await operatorClient(client.url)
  const listed = await operator.call(OrganizationList, {
    method: 'GET',
    path: '/operator/organizations?limit=500',
  })
  if (json) return printJson(terminal, listed)
  const rows = listed.organizations.map(({ id, name, removedAt, subscription }) => {
    const plan = removedAt ? null : subscription
    return [
      printableLine(name),
      removedAt ? 'being removed' : (plan?.status ?? 'none'),
      plan?.tier ?? '-',
      plan === null ? '-' : `${plan.creditsUsed} of ${plan.creditsIncluded ?? 'unlimited'}`,
      id,
    ]
  })
  for (const line of formatTable(['NAME', 'STATUS', 'TIER', 'CREDITS USED', 'ID'], rows)) terminal.print(line)
}

async function removeOrganization(
  organization: string,
  options: { yes?: boolean },
  command: Command,
): Promise<void> {
  const { client, terminal, json } = openSession(command)
  const operator = await operatorClient(client.url)
  const { name } = await findOrganization(operator, organization)
  if (options.yes !== true) {
    const warning = `Remove the workspace "${printableLine(name)}" and everything stored in it? This cannot be undone.`
    await askForName(terminal, { warning, name, refusal: 'Nothing was removed' })
  }
  const answer = await operator.call(Removal, {
    method: 'DELETE',
    path: `/operator/organizations/${encodeURIComponent(organization)}`,
  })
  if (json) return printJson(terminal, answer)
  terminal.print(
    `"${printableLine(name)}" is no longer accessible. Its data is being deleted; when that is done, "operator organizations" no longer lists it`,
  )
}

/** @throws CommandError when none has this id */
async function findOrganization(operator: ApiClient, id: string): Promise<{ name: string }> {
  for (let cursor: string | null = ''; cursor !== null;) {
    const after: string = cursor === '' ? '' : `&cursor=${cursor}`
    const page: z.output<typeof OrganizationList> = await operator.call(OrganizationList, {
      method: 'GET',
      path: `/operator/organizations?limit=500${after}`,
    })
    const found = page.organizations.find((one) => one.id === id.toLowerCase())
    if (found) return found
    cursor = page.nextCursor
  }
  throw new CommandError(`There is no workspace ${id}; "operator organizations" lists them`)
}

async function putSubscription(
  organization: string,
  status: string,
  options: { tier?: string; credits?: number; agents?: number; connectors?: number },
  command: Command,
): Promise<void> {
  const { client, terminal, json } = openSession(command)
  const operator = await operatorClient(client.url)
  const answer = await operator.call(z.looseObject({ subscription: Subscription }), {
    method: 'PUT',
    path: `/operator/organizations/${encodeURIComponent(organization)}/subscription`,
    body: {
      status,
      tier: options.tier ?? null,
      ...(options.credits === undefined ? {} : { creditsIncluded: options.credits }),
      ...(options.agents === undefined ? {} : { agentsIncluded: options.agents }),
      ...(options.connectors === undefined ? {} : { connectorsIncluded: options.connectors }),
    },
  })
  if (json) return printJson(terminal, answer)
  terminal.print(`${answer.subscription.status}, ${answer.subscription.tier ?? 'no tier'}`)
}

async function listRequests(_options: unknown, command: Command): Promise<void> {
  const { client, terminal, json } = openSession(command)
  const operator = await operatorClient(client.url)
  const listed = await operator.call(RequestList, { method: 'GET', path: '/operator/connector-access' })
  if (json) return printJson(terminal, listed)
  const rows = listed.requests.map((request) => [
    printableLine(request.organizationName),
    request.provider,
    request.requestedByEmail ?? '-',
    formatMoment(request.createdAt),
    request.organizationId,
  ])
  for (const line of formatTable(['WORKSPACE', 'PROVIDER', 'ASKED BY', 'ASKED', 'ID'], rows))
    terminal.print(line)
}

async function putAccess(
  organization: string,
  provider: string,
  decision: string,
  _options: unknown,
  command: Command,
): Promise<void> {
  const { client, terminal, json } = openSession(command)
  const operator = await operatorClient(client.url)
  const answer = await decideAccess(operator, {
    organizationId: organization,
    provider,
    enabled: decision === 'grant',
  })
  if (json) return printJson(terminal, answer)
  terminal.print(`${provider}: ${answer.connectorAccess.status}`)
}

async function actOnIndex(
  organization: string,
  act: keyof typeof INDEX_METHODS,
  _options: unknown,
  command: Command,
): Promise<void> {
  const { client, terminal, json } = openSession(command)
  const operator = await operatorClient(client.url)
  const answer = await operator.call(Index, {
    method: INDEX_METHODS[act],
    path: `/operator/organizations/${encodeURIComponent(organization)}/approximate-index`,
  })
  if (json) return printJson(terminal, answer)
  const { status, model, chunksTotal, chunksDone, errorMessage } = answer.approximateIndex
  if (model === null) return terminal.print(status)
  terminal.print(`${status}: ${chunksDone} of ${chunksTotal} chunks of ${printableLine(model)}`)
  if (errorMessage !== null) terminal.print(printableLine(errorMessage))
}
