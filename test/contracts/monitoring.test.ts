import { readFile } from 'node:fs/promises'
import { parser } from '@prometheus-io/lezer-promql'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { routes } from '../../src/assembly/routes.ts'
import { createMetrics } from '../../src/health/index.ts'

const read = (name: string): Promise<string> => readFile(new URL(`../../${name}`, import.meta.url), 'utf8')

const Rules = z.object({
  groups: z.array(
    z.object({
      rules: z.array(
        z.strictObject({
          alert: z.string().regex(/^Memory[A-Za-z]+$/),
          expr: z.string(),
          for: z.string().regex(/^\d+[smh]$/),
          labels: z.object({ severity: z.enum(['critical', 'warning']) }),
          annotations: z.object({ summary: z.string(), runbook_url: z.string() }),
        }),
      ),
    }),
  ),
})
const Dashboard = z.object({
  panels: z.array(z.object({ title: z.string(), targets: z.array(z.object({ expr: z.string() })).min(1) })),
})

const alerts = async () =>
  Rules.parse(parse(await read('deploy/monitoring/alerts.yaml'))).groups.flatMap(({ rules }) => rules)
const panels = async () => Dashboard.parse(JSON.parse(await read('deploy/monitoring/dashboard.json'))).panels

async function expressions(): Promise<string[]> {
  const drawn = (await panels()).flatMap(({ targets }) => targets.map(({ expr }) => expr))
  // Grafana inserts its own value.
  const filled = drawn.map((expr) => expr.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*'))
  return [...filled, ...(await alerts()).map(({ expr }) => expr)]
}

/** The metrics in a PromQL expression, and the labels it filters and groups by. */
function namesIn(expr: string): { metrics: string[]; labels: string[] } {
  const [metrics, labels]: [string[], string[]] = [[], []]
  parser.parse(expr).iterate({
    enter({ name, from, to, type }) {
      if (type.isError) throw new Error(`${expr}: a fault at ${from}`)
      if (name === 'Identifier') metrics.push(expr.slice(from, to))
      if (name === 'LabelName') labels.push(expr.slice(from, to))
    },
  })
  return { metrics, labels }
}

/** The metrics of a process that has answered a request, ended a run, and has data of every kind. */
async function shown(): Promise<string> {
  const metrics = createMetrics()
  metrics.observeResponse({ method: 'POST', route: '/v1/search', status: 200, seconds: 0.1 })
  metrics.observeRun({ provider: 'slack', end: 'failed', seconds: 1 })
  metrics.observePage('slack', { ingested: 1, deleted: 1, failed: 1 })
  metrics.observeReport({ outcome: 'sent', answers: 1 })
  metrics.observeWebhook({ outcome: 'delivered', seconds: 1 })
  metrics.observeCanvasItems(1)
  metrics.observeSearch('memory')
  metrics.observeSearch('approximate')
  metrics.watchVectorMemory(() => ({ bytes: 1, organizations: 1 }))
  metrics.watchOverage(async () => ({ waitingAnswers: 0, uncertainAnswers: 0, lagSeconds: 0 }))
  metrics.observeUnannounced()
  metrics.watchComparison(async () => ({
    ageSeconds: 0,
    unreadableOrganizations: 0,
    remarkedOrganizations: 0,
  }))
  metrics.watchWebhooks(async () => ({ waiting: 0, lagSeconds: 0 }))
  return await metrics.registry.metrics()
}

/** The names of the service's metrics, without those of Node.js. */
async function ownMetrics(): Promise<string[]> {
  const names = [...(await shown()).matchAll(/^# TYPE (\w+)/gm)].map(([, name = '']) => name)
  return names.filter((name) => !/^(nodejs|process)_/.test(name))
}

describe('the dashboard and the alerts', () => {
  it('use existing metrics and labels in valid expressions', async () => {
    const output = await shown()
    const metrics = new Set([...output.matchAll(/^(\w+)[ {]/gm)].map(([, name]) => name))
    const labels = new Set([...output.matchAll(/(\w+)="/g)].map(([, name]) => name))
    // Prometheus adds these itself.
    metrics.add('up')
    for (const added of ['job', 'instance']) labels.add(added)
    const found = await expressions()
    expect(found.length).toBeGreaterThan(20)
    for (const expr of found) {
      const named = namesIn(expr)
      expect(named.metrics.length, expr).toBeGreaterThan(0)
      expect(
        named.metrics.filter((name) => !metrics.has(name)),
        expr,
      ).toEqual([])
      expect(
        named.labels.filter((name) => !labels.has(name)),
        expr,
      ).toEqual([])
    }
  })

  it('name existing routes', async () => {
    const paths = routes.map(({ path }) => path)
    for (const expr of await expressions())
      for (const [, operator, pattern = ''] of expr.matchAll(/route(!=|=~|=)"([^"]*)"/g)) {
        const isMeant =
          operator === '=~' ? new RegExp(`^(?:${pattern})$`) : { test: (path: string) => path === pattern }
        expect(
          paths.some((path) => isMeant.test(path)),
          pattern,
        ).toBe(true)
      }
  })

  it('apply rates only to counters, whose names end in _total', async () => {
    const types = [...(await shown()).matchAll(/^# TYPE (\w+_total) (\w+)/gm)]
    expect(types.filter(([, , type]) => type !== 'counter').map(([, name]) => name)).toEqual([])
  })

  it('show every metric of the service somewhere', async () => {
    const ours = await ownMetrics()
    const named = (await expressions()).flatMap((expr) => namesIn(expr).metrics)
    for (const name of ours)
      expect(
        named.some((metric) => metric.startsWith(name)),
        name,
      ).toBe(true)
  })
})

describe('docs/reference/observability.md', () => {
  it('lists exactly the metrics of the service', async () => {
    const [, section = ''] = (await read('docs/reference/observability.md')).split('\n## Metrics\n')
    const rows = section.split('\n## ')[0]?.matchAll(/^\|([^|]*)\|/gm) ?? []
    const listed = [...rows].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name),
    )
    expect(listed.toSorted()).toEqual((await ownMetrics()).toSorted())
  })
})

describe('docs/guides/runbooks.md', () => {
  it('has exactly one section for each alert, which links to it', async () => {
    const sections = [...(await read('docs/guides/runbooks.md')).matchAll(/^## (\w+)$/gm)].map(
      ([, name = '']) => name,
    )
    const all = await alerts()
    expect(sections.toSorted()).toEqual(all.map(({ alert }) => alert).toSorted())
    for (const { alert, annotations } of all)
      expect(annotations.runbook_url).toBe(`docs/guides/runbooks.md#${alert.toLowerCase()}`)
  })
})
