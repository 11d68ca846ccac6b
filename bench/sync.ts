import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { startGoogleEmulator } from '../emulators/google/google-emulator.ts'
import type { EmulatorServer } from '../emulators/kit/server.ts'
import { startSlackEmulator } from '../emulators/slack/index.ts'
import { signSlackBody } from '../src/providers/slack/webhook.ts'
import { agreeElsewhere } from '../test/support/browser.ts'
import { startIssuer } from '../test/support/issuer.ts'
import { keepResults } from './keep-results.ts'
import { type BenchServer, call, startServer } from './server.ts'

/**
 * npm run bench -- sync [share] [slack] [google_drive] [gmail] First and second runs of large accounts from the
 * emulators, into the embedded database: items per second, requests, and the service's peak memory. `share` scales
 * the accounts, 1 is their full size.
 */

type Bench = 'slack' | 'google_drive' | 'gmail'

const CHANNELS = 200
const MESSAGES = 100_000
const FILES = 10_000
const MAILS = 50_000
const OPERATOR_TOKEN = 'benchmark-operator-token-0123456789abcdef'
const LOOK_MS = 500

const Runs = z.object({
  syncRuns: z.array(
    z.object({
      id: z.string(),
      connectorId: z.string(),
      status: z.string(),
      itemsDiscovered: z.number(),
      itemsIngested: z.number(),
      errorMessage: z.string().nullable(),
    }),
  ),
})

interface Measured {
  provider: Bench
  run: 'first' | 'second' | 'second, with events'
  discovered: number
  ingested: number
  seconds: number
  requests: number
  peakMb: number
}

/** Runs the requested measurements and prints a table. */
export async function benchSync(args: readonly string[]): Promise<void> {
  const share = Number(args.find((arg) => /^[\d.]+$/.test(arg)) ?? 1)
  const wanted = (['slack', 'google_drive', 'gmail'] as const).filter((name) => args.includes(name))
  const results: Measured[] = []
  for (const provider of wanted.length > 0 ? wanted : (['slack', 'google_drive', 'gmail'] as const)) {
    const measured = await benchProvider(provider, share)
    for (const result of measured) process.stdout.write(`${row(result)}\n`)
    results.push(...measured)
  }
  process.stdout.write(`\n${table(results)}\n`)
  // Partial results must not replace the full ones.
  if (share === 1 && wanted.length === 0) await keepResults('latest-sync', results, table(results))
}

async function startProvider(
  provider: Bench,
  share: number,
): Promise<{ emulator: EmulatorServer; environment: Record<string, string> }> {
  const size = (full: number): number => Math.max(1, Math.round(full * share))
  if (provider === 'slack') {
    const channels = size(CHANNELS)
    const messagesPerChannel = MESSAGES / CHANNELS
    const emulator = await startSlackEmulator({ seed: { channels, messagesPerChannel, endsAt: Date.now() } })
    return { emulator, environment: { ...emulator.env, SLACK_TEAM_ID: emulator.team.id } }
  }
  const isDrive = provider === 'google_drive'
  const emulator = await startGoogleEmulator({
    files: isDrive ? size(FILES) : 0,
    folders: isDrive ? size(FILES / 20) : 0,
    sharedDrives: isDrive ? 1 : 0,
    mails: isDrive ? 0 : size(MAILS),
  })
  const environment = {
    GOOGLE_CLIENT_ID: emulator.clientId,
    GOOGLE_CLIENT_SECRET: emulator.clientSecret,
    GOOGLE_API_URL: emulator.url,
    GOOGLE_AUTH_URL: emulator.url,
  }
  return { emulator, environment }
}

async function benchProvider(provider: Bench, share: number): Promise<Measured[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'memory-bench-'))
  const issuer = await startIssuer()
  const { emulator, environment } = await startProvider(provider, share)
  const server = await startServer({
    ...issuer.environment,
    ...environment,
    DATA_DIR: dataDir,
    DATABASE_URL: '',
    OPERATOR_TOKEN,
    GATED_PROVIDERS: ' ',
  })
  try {
    const watch = { server, emulator, provider }
    const token = await issuer.token({ subject: 'bench' })
    const first = await measure(watch, 'first', () => connect(server.url, token, provider))
    if (provider === 'slack') await announceMessage(server.url, environment)
    const again = async (): Promise<void> => {
      const { syncRuns } = Runs.parse(await runs(server.url, token))
      const connectorId = syncRuns[0]?.connectorId
      await consoleCall(server.url, token, 'POST', '/v1/console/sync-runs', { connectorId })
    }
    const second = await measure(watch, 'second', again)
    if (provider !== 'slack') return [first, second]
    // Events have arrived since before the second run, which read every channel, so later runs rely on them.
    return [first, second, await measure(watch, 'second, with events', again)]
  } finally {
    await server.stop()
    await emulator.close()
    await issuer.close()
    await rm(dataDir, { recursive: true, force: true })
  }

  function runs(url: string, token: string): Promise<unknown> {
    return consoleCall(url, token, 'GET', '/v1/console/sync-runs')
  }

  async function measure(
    watch: { server: BenchServer; emulator: EmulatorServer; provider: Bench },
    run: Measured['run'],
    begin: () => Promise<void>,
  ): Promise<Measured> {
    const token = await issuer.token({ subject: 'bench', expiresIn: 6 * 3600 })
    watch.emulator.requests.reset()
    const started = performance.now()
    await begin()
    let peakMb = 0
    for (;;) {
      peakMb = Math.max(peakMb, await watch.server.residentMb())
      const newest = Runs.parse(await runs(watch.server.url, token)).syncRuns[0]
      if (newest?.status === 'failed') throw new Error(`the run failed: ${newest.errorMessage}`)
      if (newest?.status === 'succeeded') {
        return {
          provider: watch.provider,
          run,
          discovered: newest.itemsDiscovered,
          ingested: newest.itemsIngested,
          seconds: (performance.now() - started) / 1000,
          requests: watch.emulator.requests.total,
          peakMb,
        }
      }
      await sleep(LOOK_MS)
    }
  }
}

const Organization = z.object({ organization: z.object({ id: z.string() }) })
const Begun = z.object({ url: z.string() })

async function connect(url: string, token: string, provider: Bench): Promise<void> {
  const made = await consoleCall(url, token, 'POST', '/v1/console/organizations', { name: 'Bench' })
  Organization.parse(made)
  const begun = await consoleCall(url, token, 'POST', `/v1/console/connectors/${provider}/authorize`)
  await agreeElsewhere(Begun.parse(begun).url)
}

/** A Slack event about a message that no longer exists, so that nothing is stored for it. */
async function announceMessage(url: string, environment: Record<string, string>): Promise<void> {
  const event = { type: 'message', channel: 'C0', ts: '1700000000.000100', text: 'gone', user: 'U0' }
  const body = JSON.stringify({
    type: 'event_callback',
    team_id: environment['SLACK_TEAM_ID'],
    event_id: 'Ev1',
    event,
  })
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signature = signSlackBody(environment['SLACK_SIGNING_SECRET'] ?? '', timestamp, body)
  const response = await fetch(`${url}/v1/webhooks/slack`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'X-Slack-Request-Timestamp': timestamp,
      'X-Slack-Signature': signature,
    },
    body,
  })
  if (!response.ok) throw new Error(`the webhook answered ${response.status}: ${await response.text()}`)
}

function consoleCall(
  url: string,
  token: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<unknown> {
  return call(url, method, path, body, token)
}

function row(result: Measured): string {
  const { provider, run, discovered, ingested, seconds, requests, peakMb } = result
  const perSecond = (discovered / seconds).toFixed(0)
  return `| ${[provider, run, discovered, ingested, seconds.toFixed(1), perSecond, requests, peakMb.toFixed(0)].join(' | ')} |`
}

function table(results: readonly Measured[]): string {
  return [
    '| provider | run | discovered | ingested | seconds | discovered/s | requests | peak resident MB |',
    '|---|---|---|---|---|---|---|---|',
    ...results.map(row),
  ].join('\n')
}
