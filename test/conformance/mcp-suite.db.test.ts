import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { startBearerProxy } from '../support/bearer-proxy.ts'
import { startTestService } from '../support/service.ts'

const run = promisify(execFile)
const Checks = z.array(z.object({ id: z.string(), status: z.string(), errorMessage: z.string().optional() }))
type Checks = z.output<typeof Checks>

/** Scenarios in which every server must pass every check, whatever it offers. */
const APPLICABLE = [
  'server-initialize',
  'server-session-lifecycle',
  'ping',
  'tools-list',
  'resources-list',
  'sep-2164-resource-not-found',
  'dns-rebinding-protection',
  'http-header-validation',
  'input-required-result-unsupported-methods',
  'input-required-result-validate-input',
]

/** Scenarios of 2026-07-28 in which some checks need a tool of the suite's own server. All other checks must pass. */
const PARTLY_APPLICABLE = { 'server-stateless': 24, caching: 6 }

/** They test sessions and resumable streams. Without these the suite only warns. */
const OF_SESSIONS = ['server-sse-polling', 'server-sse-multiple-streams']

/** Messages of checks that need a feature this service does not offer (docs/reference/mcp.md). */
const NOT_OFFERED = [
  /Tool '?\w+'? not found/,
  /^Not testable: /,
  /Resource not found: test:\/\//,
  /(Method not found|got -32601\b.*)$/,
  // The suite's message about input that its own tools never requested.
  /InputRequiredResult/,
  // The extension for tasks.
  /^capabilities\.extensions MUST be advertised$/,
  /^routing-task fixture from Check 2 unavailable/,
  /failing_job returned error code -32602/,
]

let folder: string
const outcomes = new Map<string, Checks>()

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mcp-suite-'))
  const service = await startTestService()
  const { adminKey } = await service.organization()
  // The suite sends no key.
  const proxy = await startBearerProxy(service.url, adminKey)
  const args = ['server', '--url', `${proxy.url}/mcp`, '--suite', 'all', '--output-dir', folder]
  // The suite exits with 1 when any scenario fails, even inapplicable ones; each scenario's file has its results.
  await run('node_modules/.bin/conformance', args).catch(() => undefined)
  await proxy.close()
  await service.close()
  for (const name of await readdir(folder)) {
    const scenario = /^server-(.+)-\d{4}-\d\d-\d\dT/.exec(name)?.[1]
    if (scenario === undefined) throw new Error(`"${name}" is no result of the suite`)
    outcomes.set(
      scenario,
      Checks.parse(JSON.parse(await readFile(path.join(folder, name, 'checks.json'), 'utf8'))),
    )
  }
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const failuresOf = (checks: Checks | undefined): Checks =>
  (checks ?? []).filter(({ status }) => status === 'FAILURE')

describe("the protocol's own conformance suite", () => {
  it.each(APPLICABLE)('passes every check: %s', (scenario) => {
    const checks = outcomes.get(scenario) ?? []
    expect(checks.length).toBeGreaterThan(0)
    const passing = new Set(['SUCCESS', 'INFO', 'SKIPPED'])
    expect(checks.filter(({ status }) => !passing.has(status))).toEqual([])
  })

  it.each(Object.entries(PARTLY_APPLICABLE))('passes all applicable checks: %s', (scenario, passed) => {
    const checks = outcomes.get(scenario) ?? []
    expect(checks.filter(({ status }) => status === 'SUCCESS').length).toBeGreaterThanOrEqual(passed)
  })

  it('passes for subscriptions', () => {
    const checks = new Map(outcomes.get('server-stateless')?.map(({ id, status }) => [id, status]))
    for (const id of ['sends-subscription-ack', 'tags-subscription-id', 'honors-notification-filter'])
      expect(checks.get(`sep-2575-server-${id}`), id).toBe('SUCCESS')
  })

  it('fails only for features that are not offered', () => {
    expect(outcomes.size).toBeGreaterThan(60)
    for (const [scenario, checks] of outcomes)
      for (const { id, errorMessage = '' } of failuresOf(checks))
        expect(
          NOT_OFFERED.some((words) => words.test(errorMessage)),
          `${scenario}: ${id}: ${errorMessage}`,
        ).toBe(true)
  })

  it.each(OF_SESSIONS)('finds no fault without sessions: %s', (scenario) => {
    expect(outcomes.has(scenario)).toBe(true)
    expect(failuresOf(outcomes.get(scenario))).toEqual([])
  })
})
