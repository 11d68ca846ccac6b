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

/** Scenarios of the protocol's own suite that every server has to pass, whatever it offers. */
const APPLICABLE = ['server-initialize', 'ping', 'tools-list', 'resources-list', 'dns-rebinding-protection']

/** The others, by what they need, as the service has to answer where that is not offered (docs/mcp.md). */
const OF_OTHER_SERVERS: Record<string, { scenarios: readonly string[]; answer: RegExp }> = {
  'tools of the suite’s own server': {
    scenarios: [
      'tools-call-simple-text',
      'tools-call-image',
      'tools-call-audio',
      'tools-call-embedded-resource',
      'tools-call-mixed-content',
      'tools-call-error',
      'tools-call-with-progress',
      'tools-call-sampling',
      'tools-call-elicitation',
      'elicitation-sep1034-defaults',
      'elicitation-sep1330-enums',
    ],
    answer: /-32602: Tool test_\w+ not found$/,
  },
  'a tool of the suite’s own server': {
    scenarios: ['json-schema-2020-12'],
    answer: /^Tool 'json_schema_2020_12_tool' not found/,
  },
  'resources of the suite’s own server': {
    scenarios: ['resources-read-text', 'resources-read-binary', 'resources-templates-read'],
    answer: /-32602: Resource not found: test:\/\//,
  },
  'logging, completion, prompts or subscriptions, which are not offered': {
    scenarios: [
      'logging-set-level',
      'tools-call-with-logging',
      'completion-complete',
      'resources-subscribe',
      'resources-unsubscribe',
      'prompts-list',
      'prompts-get-simple',
      'prompts-get-with-args',
      'prompts-get-embedded-resource',
      'prompts-get-with-image',
    ],
    answer: /-32601: Method not found$/,
  },
}
/** They judge sessions and streams that a server opens; without any they only warn. */
const OF_SESSIONS = ['server-sse-polling', 'server-sse-multiple-streams']

let folder: string
const outcomes = new Map<string, Checks>()

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mcp-suite-'))
  const service = await startTestService()
  const { adminKey } = await service.organization()
  // The suite sends no key.
  const proxy = await startBearerProxy(service.url, adminKey)
  const args = ['server', '--url', `${proxy.url}/mcp`, '--suite', 'all', '--output-dir', folder]
  // It ends with 1 as long as any scenario fails, also those that do not apply; what each found is in its file.
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

describe("the protocol's own conformance suite", () => {
  it('has no scenario that is neither passed nor known not to apply', () => {
    const known = Object.values(OF_OTHER_SERVERS).flatMap(({ scenarios }) => scenarios)
    expect([...outcomes.keys()].toSorted()).toEqual([...APPLICABLE, ...known, ...OF_SESSIONS].toSorted())
  })

  it.each(APPLICABLE)('is passed: %s', (scenario) => {
    const checks = outcomes.get(scenario) ?? []
    expect(checks.length).toBeGreaterThan(0)
    expect(checks.filter(({ status }) => status !== 'SUCCESS')).toEqual([])
  })

  it.each(Object.entries(OF_OTHER_SERVERS))(
    'is told in the words of the protocol where it needs %s',
    (_, needs) => {
      for (const scenario of needs.scenarios) {
        const messages = outcomes.get(scenario)?.map(({ errorMessage }) => errorMessage)
        expect(messages, scenario).toEqual([expect.stringMatching(needs.answer)])
      }
    },
  )

  it.each(OF_SESSIONS)('finds no fault where there are no sessions: %s', (scenario) => {
    expect(outcomes.get(scenario)?.map(({ status }) => status)).not.toContain('FAILURE')
  })
})
