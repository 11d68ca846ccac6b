import type { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { limitOption } from '../../cli/commands/options.ts'
import { createProgram } from '../../cli/program.ts'
import { PAGES } from '../../console/src/data/pages.ts'
import { generatedOpenApi } from '../../scripts/generate.ts'
import { routes } from '../../src/assembly/routes.ts'
import { lookupKeyOf, OVERAGE_METER } from '../../src/billing/payment-processor.ts'
import { PLANS, SOLD_TIERS } from '../../src/billing/plans/plans.ts'
import { settingsSchema } from '../../src/config.ts'
import {
  ENTITY_TYPES,
  INTERVALS,
  PAYMENT_REMARKS,
  SUBSCRIPTION_STATUSES,
  SYNC_RUN_STATUSES,
} from '../../src/database/schema-words.ts'
import { BY_EXTENSION } from '../../src/file-text/text-format.ts'
import { ROLES } from '../../src/kernel/roles.ts'
import { TOOLS } from '../../src/mcp/tools.ts'
import { EDGE_TYPES } from '../../src/memory-canvas/schemas.ts'
import { MEMBERS_MAX, OPEN_INVITATIONS_MAX } from '../../src/organizations/limits.ts'
import { GROUP_MEMBERS_MAX, GROUPS_MAX } from '../../src/people/groups.ts'
import { LIVE_TOKENS_MAX } from '../../src/people/scim/tokens.ts'
import { CATALOG } from '../../src/providers/catalog.ts'
import { AUDIENCE_MAX } from '../../src/sources/audience.ts'
import { readPage } from '../support/doc-pages.ts'
import { INVITATION_DAYS } from '../../src/kernel/retention.ts'

// Tests read into the document and assert what they find.
// oxlint-disable-next-line typescript/no-explicit-any
const document: any = JSON.parse(generatedOpenApi())
const fieldsOf = (name: string): string[] => Object.keys(document.components.schemas[name].properties)
const parametersOf = (path: string): string[] =>
  document.paths[path].get.parameters.map(({ name }: { name: string }) => name)
const LIMITATIONS: string[] =
  document.components.schemas.ContextContract.properties.limitations.items.properties.code.enum

const without = (names: readonly string[], ...others: string[]): string[] =>
  names.filter((name) => !others.includes(name))
const wordsOf = (cell = ''): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word)

/** The rows of the first table in a section, or in the page's introduction. */
async function rowsOf(page: string, section = ''): Promise<string[][]> {
  const text = await readPage(`docs/${page}.md`)
  const [introduction = '', ...sections] = text.split(/^## /m)
  const part = section === '' ? introduction : sections.find((one) => one.startsWith(`${section}\n`))
  const [, rows = ''] = /^\|[ -|]*-\|\n((?:\|.*\|\n)+)/m.exec(part ?? '') ?? []
  return rows
    .trimEnd()
    .split('\n')
    .map((row) => row.slice(2, -2).split(' | '))
}

/** The names in the first column of a table, by page and section. */
const TABLES: readonly (readonly [page: string, section: string, names: readonly string[]])[] = [
  ['reference/answers', '', without(fieldsOf('AskRequest'), 'query', 'onBehalfOf')],
  [
    'reference/audit',
    'Filter, page and export',
    without(parametersOf('/v1/console/audit-events'), 'limit', 'X-Organization-Id'),
  ],
  [
    'reference/billing',
    'Set up Stripe',
    SOLD_TIERS.flatMap((tier) => INTERVALS.map((interval) => lookupKeyOf(tier, interval))).concat(
      OVERAGE_METER,
    ),
  ],
  ['reference/billing', 'Differences at Stripe', PAYMENT_REMARKS],
  ['reference/connectors/overview', 'Sync runs', SYNC_RUN_STATUSES],
  ['reference/file-formats', '', Object.keys(BY_EXTENSION).map((extension) => `.${extension}`)],
  ['reference/ingest', 'Document fields', without(fieldsOf('IngestDocument'), 'embedding')],
  ['reference/ingest', 'Vectors', fieldsOf('GivenEmbedding')],
  ['reference/mcp', 'Tools', TOOLS.map(({ name }) => name)],
  ['reference/memory-canvas', 'Nodes', ENTITY_TYPES],
  ['reference/memory-canvas', 'Edges', EDGE_TYPES],
  ['reference/memory-canvas', 'Query it', parametersOf('/v1/memory-canvas')],
  ['reference/operator', 'Subscriptions', fieldsOf('NewSubscription')],
  ['reference/retrieval', 'Search', fieldsOf('SearchRequest')],
  ['reference/retrieval', 'Filter', fieldsOf('SearchFilter')],
  ['reference/retrieval', 'Context', without(LIMITATIONS, 'answer_truncated', 'nothing_cited')],
  ['guides/deploy', 'Roles', settingsSchema.shape.ROLE.unwrap().options],
]

describe('a table of the documentation', () => {
  it.each(TABLES)('in %s (%s) names all there are, each once', async (page, section, names) => {
    const named = (await rowsOf(page, section)).flatMap(([cell]) => wordsOf(cell))
    expect(named.toSorted()).toEqual([...names].toSorted())
  })

  it('names each limitation of contexts or answers', async () => {
    const rows = [...(await rowsOf('reference/retrieval', 'Context'))].concat(
      await rowsOf('reference/answers', 'When nothing answers'),
    )
    expect(new Set(rows.flatMap(([cell]) => wordsOf(cell)))).toEqual(new Set(LIMITATIONS))
  })

  it('has each event of a streamed answer', async () => {
    const rows = await rowsOf('reference/answers', 'Streaming')
    const code =
      (await readPage('src/answers/routes.ts')) + (await readPage('src/http/server-sent-events.ts'))
    const sent = [...code.matchAll(/{ event: '(\w+)'/g)].map(([, name]) => name)
    expect(rows.flatMap(([cell]) => wordsOf(cell))).toEqual(sent)
  })

  it("lists the console's pages in order, with their audience", async () => {
    const rows = await rowsOf('reference/console')
    expect(rows.map(([label, whom]) => [label, whom])).toEqual(
      PAGES.map(({ label, forAdmins }) => [label, forAdmins ? 'admins' : 'everyone']),
    )
  })

  it('has each role of a member', async () => {
    const rows = await rowsOf('reference/keys', 'Roles')
    expect(rows.map(([role]) => role)).toEqual(ROLES.toReversed())
  })

  it('has the action and the route of each MCP tool', async () => {
    const rows = await rowsOf('reference/mcp', 'Tools')
    const expected = TOOLS.map(({ name, operationId }) => {
      const route = routes.find((one) => one.operationId === operationId)
      const action = route?.access.surface === 'agent' ? route.access.action : undefined
      return [name, action, `${route?.method} ${route?.path}`, String(route?.credits)]
    })
    expect(
      rows.map(([name, action, calls, credits]) =>
        [name, action, calls].map((cell) => wordsOf(cell)[0]).concat(credits),
      ),
    ).toEqual(expected)
  })

  it("has the operator's routes", async () => {
    const named = (await rowsOf('reference/operator')).flatMap(([cell]) => {
      let path = ''
      return wordsOf(cell)
        .toReversed()
        .map((word) => {
          const [method, own] = word.split(/[ ?]/)
          path = own ?? path
          return `${method} ${path}`
        })
    })
    const own = routes.filter(({ access }) => access.surface === 'operator')
    expect(named.toSorted()).toEqual(own.map(({ method, path }) => `${method} ${path}`).toSorted())
  })

  it('has each status of a subscription', async () => {
    const [[, statuses] = []] = await rowsOf('reference/operator', 'Subscriptions')
    expect(wordsOf(statuses)).toEqual(SUBSCRIPTION_STATUSES)
  })

  it('names each field of a connection form on the page of its provider', async () => {
    for (const provider of CATALOG) {
      if (!('form' in provider) || provider.form === undefined) continue
      const page = await readPage(`docs/reference/connectors/${provider.id}.md`)
      for (const name of Object.keys(provider.form.shape))
        expect(page, provider.id).toMatch(new RegExp(`^\\| \`${name}\` \\||--field ${name}=`, 'm'))
    }
  })

  it('has the numbers of members and groups', async () => {
    const rows = await rowsOf('reference/limits', 'People and groups')
    const limits = [
      MEMBERS_MAX,
      OPEN_INVITATIONS_MAX,
      `${INVITATION_DAYS} days`,
      GROUPS_MAX,
      GROUP_MEMBERS_MAX,
      AUDIENCE_MAX,
      LIVE_TOKENS_MAX,
    ]
    expect(rows.slice(0, limits.length).map(([, limit]) => limit)).toEqual(
      limits.map((limit) => limit.toLocaleString('en')),
    )
  })

  it('has the limits of hits, and so does the command line', async () => {
    const { minimum, maximum, default: usual } = document.components.schemas.SearchRequest.properties.limit
    const [, [, hits] = []] = await rowsOf('reference/retrieval', 'Search')
    const [[, passages] = []] = await rowsOf('reference/answers')
    expect(hits).toBe(`${minimum} to ${maximum} hits, default ${usual}`)
    expect(passages).toBe(`passages to answer from, ${minimum} to ${maximum}, default ${usual}`)
    expect(limitOption().description).toBe(`how many passages, ${minimum} to ${maximum} (default: ${usual})`)
  })

  it('names the routes that cost a credit', async () => {
    const text = await readPage('docs/reference/limits.md')
    const [, named = ''] = /^(.*) and their console counterparts cost 1 credit/m.exec(text) ?? []
    const charged = routes.filter(({ access, credits }) => access.surface === 'agent' && credits > 0)
    expect(wordsOf(named.replace('POST ', ''))).toEqual(charged.map(({ path }) => path))
  })

  it("has the tiers' numbers, and so does the console", async () => {
    const shown = (number: number | null): string => number?.toLocaleString('en') ?? 'no limit'
    const rows = await rowsOf('reference/limits', 'Credits')
    expect(rows.map(([name, agents, connectors, credits]) => [name, agents, connectors, credits])).toEqual(
      Object.values(PLANS).map(({ name, agents, connectors, creditsPerMonth }) => [
        name,
        shown(agents),
        shown(connectors),
        expect.stringContaining(shown(creditsPerMonth)),
      ]),
    )
  })
})

describe('docs/reference/command-line.md', () => {
  it('names every command', async () => {
    const text = await readPage('docs/reference/command-line.md')
    const leaves = (command: Command, path: string): string[] =>
      command.commands.length === 0
        ? [path]
        : command.commands.flatMap((one) => leaves(one, `${path} ${one.name()}`))
    const missing = createProgram()
      .commands.flatMap((command) => leaves(command, command.name()))
      .filter((name) => !new RegExp(`(?:\`|memory |^## )${name}\\b`, 'm').test(text))
    expect(missing).toEqual([])
  })
})
