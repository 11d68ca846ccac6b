import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { startConfluenceEmulator } from './confluence/index.ts'
import { seedConfluence } from './confluence/seed.ts'
import { startGitHubEmulator } from './github/index.ts'
import { seedGitHub } from './github/seed.ts'
import { startGoogleEmulator } from './google/google-emulator.ts'
import type { EmulatorServer } from './kit/server.ts'
import { startJiraEmulator } from './jira/index.ts'
import { seedJira } from './jira/seed.ts'
import { startMicrosoftEmulator } from './microsoft/index.ts'
import { seedFiles, seedMails, seedTeams } from './microsoft/seed.ts'
import { startNotionEmulator } from './notion/index.ts'
import { startSlackEmulator } from './slack/index.ts'
import { startStripeEmulator } from './stripe/index.ts'

const USAGE = `Usage: npm run emulators -- [options]

Starts Slack, Google (Drive and Gmail), Notion and Stripe as small servers on 127.0.0.1, with data from a seed, and prints
the settings that point the service at them; GitHub, Confluence, Jira and Microsoft 365 too if
PROVIDERS names them. With --start, it also starts the service with these settings.

  --start            also starts the service; it ends with the emulators
  --port <n>         first of eight ports (default 8801; 0 takes any free ones)
  --service <url>    service that events are sent to (default http://127.0.0.1, port PORT or 8787)
  --channels <n>     Slack channels (default 6)
  --messages <n>     messages of each channel (default 80)
  --files <n>        Drive files (default 60)
  --mails <n>        mails (default 90)
  --pages <n>        Notion pages (default 40)
  --rate-limits      refuses requests above the providers' published limits
`

const values = readOptions()

/** The options of the command line; with an unknown one, prints the usage and exits. */
function readOptions() {
  try {
    return parseArgs({
      options: {
        start: { type: 'boolean', default: false },
        port: { type: 'string', default: '8801' },
        service: { type: 'string', default: `http://127.0.0.1:${process.env['PORT'] ?? 8787}` },
        channels: { type: 'string', default: '6' },
        messages: { type: 'string', default: '80' },
        files: { type: 'string', default: '60' },
        mails: { type: 'string', default: '90' },
        pages: { type: 'string', default: '40' },
        'rate-limits': { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`)
    process.exit(2)
  }
}

/** An option as a whole number, at least 0; otherwise prints the usage and exits. */
function count(name: string, value: string): number {
  const number = Number(value)
  if (Number.isSafeInteger(number) && number >= 0) return number
  process.stderr.write(`--${name} must be a whole number, not ${value}\n\n${USAGE}`)
  process.exit(2)
}

async function main(): Promise<void> {
  if (values.help) {
    process.stdout.write(USAGE)
    return
  }
  const first = count('port', values.port)
  const port = (offset: number) => (first === 0 ? 0 : first + offset)
  const rateLimits = values['rate-limits']
  const endsAt = Date.now()
  const slack = await startSlackEmulator({
    port: port(0),
    rateLimits,
    eventsUrl: `${values.service}/v1/webhooks/slack`,
    seed: {
      channels: count('channels', values.channels),
      memberChannels: 3,
      messagesPerChannel: count('messages', values.messages),
      endsAt,
    },
  })
  const google = await startGoogleEmulator({
    port: port(1),
    files: count('files', values.files),
    mails: count('mails', values.mails),
    requestsPerMinute: rateLimits ? 12_000 : null,
  })
  const notion = await startNotionEmulator({
    port: port(2),
    rateLimits,
    seed: { pages: count('pages', values.pages), endsAt },
  })
  const stripe = await startStripeEmulator({
    port: port(3),
    webhookUrl: `${values.service}/v1/webhooks/stripe`,
  })
  const named = await startNamed(port)
  const env = {
    ...slack.env,
    GOOGLE_CLIENT_ID: google.clientId,
    GOOGLE_CLIENT_SECRET: google.clientSecret,
    GOOGLE_API_URL: google.url,
    GOOGLE_AUTH_URL: google.url,
    ...notion.env,
    ...stripe.env,
    ...named.env,
  }
  const servers = [slack, google, notion, stripe, ...named.servers]
  const ways =
    waysToChange({ slack: slack.url, google: google.url, notion: notion.url, stripe: stripe.url }) +
    named.ways
  if (values.start) {
    process.stdout.write(ways)
    await runService(env)
    await close(servers)
    return
  }
  const exports = Object.entries(env).map(([name, value]) => `export ${name}='${value}'\n`)
  process.stdout.write(`${exports.join('')}\n${ways}`)
  const end = (): void => void close(servers)
  process.once('SIGINT', end)
  process.once('SIGTERM', end)
}

/** The providers that a service has only if PROVIDERS names them. */
async function startNamed(
  port: (offset: number) => number,
): Promise<{ servers: Pick<EmulatorServer, 'close'>[]; env: Record<string, string>; ways: string }> {
  const names = new Set((process.env['PROVIDERS'] ?? '').split(',').map((name) => name.trim()))
  const servers: Pick<EmulatorServer, 'close'>[] = []
  const env: Record<string, string> = {}
  let ways = ''
  if (names.has('github') || names.has('github_app')) {
    const github = await startGitHubEmulator({ port: port(4) })
    seedGitHub(github.state, { issues: 40, files: 20 })
    github.app.standings.set('acme', 'owner')
    github.app.install('acme')
    servers.push(github)
    Object.assign(env, github.env)
    ways += `# A token for GitHub: ${github.token()}\n`
  }
  if (names.has('confluence')) {
    const confluence = await startConfluenceEmulator({ port: port(5) })
    seedConfluence(confluence.state, { pages: 40 })
    servers.push(confluence)
    env['CONFLUENCE_API_URL'] = confluence.url
    ways += `# For Confluence: any site, ${confluence.email}, token ${confluence.token()}\n`
  }
  if (names.has('jira')) {
    const jira = await startJiraEmulator({ port: port(6) })
    seedJira(jira.state, { issues: 40 })
    servers.push(jira)
    env['JIRA_API_URL'] = jira.url
    ways += `# For Jira: any site, ${jira.email}, token ${jira.token()}\n`
  }
  if (['onedrive', 'outlook', 'teams'].some((name) => names.has(name))) {
    const microsoft = await startMicrosoftEmulator({ port: port(7) })
    seedFiles(microsoft, { files: 40 })
    seedMails(microsoft, { mails: 40 })
    seedTeams(microsoft, { threads: 40 })
    servers.push(microsoft)
    Object.assign(env, microsoft.env)
  }
  return { servers, env, ways }
}

/** Describes possible changes at the providers as shell comments, because a shell reads the settings. */
function waysToChange(urls: { slack: string; google: string; notion: string; stripe: string }): string {
  return [
    '# Change something at a provider, for example:',
    `#   curl -s -X POST ${urls.slack}/_emulator/messages -d '{"channel":"general"}'`,
    `#   curl -s -X POST ${urls.slack}/_emulator/delete -d '{"channel":"general","ts":"…"}'`,
    `#   curl -s -X POST ${urls.notion}/_emulator/pages`,
    `#   curl -s -X POST ${urls.notion}/_emulator/trash -d '{"page":"…"}'`,
    `#   curl -s -X POST ${urls.google}/_emulator/help   # lists what else you can change`,
    `# Advance Stripe's clock: ${urls.stripe}/`,
    '',
  ].join('\n')
}

/** Runs the service until it exits or a signal, which is passed on, ends it; then exits with its code. */
async function runService(settings: Record<string, string>): Promise<void> {
  const service = spawn(process.execPath, ['scripts/run.mjs', 'start'], {
    stdio: 'inherit',
    env: { ...process.env, ...settings },
  })
  // The service drains and ignores a repeated signal, such as Ctrl-C on a terminal sends.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => service.kill(signal))
  await once(service, 'exit')
  process.exitCode = service.exitCode ?? 1
}

async function close(servers: readonly Pick<EmulatorServer, 'close'>[]): Promise<void> {
  await Promise.all(servers.map((server) => server.close()))
}

try {
  await main()
} catch (error) {
  const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
  if (!isTaken) throw error
  process.stderr.write(`${error.message}\nName another first port with --port.\n`)
  process.exit(1)
}
