import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { SERVICE_FILE_LIMITS } from '../../src/file-text/index.ts'
import { KNOWN_MODELS } from '../../src/inference/embedding-models/known-models.ts'
import { type DocPage, docPages, proseOf, readPage } from '../support/doc-pages.ts'

/** A figure in the text of a page or of the console, and the line of code or of a result that it comes from. */
type Figure = readonly [page: string, text: string, file: string, line: string]

const EXPLANATION = 'docs/explanation'
const GUIDES = 'docs/guides'
const FIGURES: Figure[] = [
  [
    `${EXPLANATION}/benchmarks.md`,
    'takes 270 MB, and 1.4 MB per 1,000 chunks',
    'scripts/figure-tables.ts',
    'postgres: { process: 270, perThousand: 1.4 }',
  ],
  [
    `${EXPLANATION}/benchmarks.md`,
    'with the embedded database, 470 MB and 1.6 MB',
    'scripts/figure-tables.ts',
    'embedded: { process: 470, perThousand: 1.6 }',
  ],
  [
    `${EXPLANATION}/benchmarks.md`,
    '100,002 chunks on PostgreSQL took 567 MB',
    'bench/results/search-16-processors.json',
    '"residentAfterHybridMb": 566.8',
  ],
  [
    `${EXPLANATION}/durability.md`,
    'a statement may take | any time: it cannot be interrupted | 60 s |',
    'src/database/drivers/postgres.ts',
    'STATEMENT_TIMEOUT_MS = 60_000',
  ],
  [
    `${EXPLANATION}/evaluation.md`,
    'first 900 characters',
    'evaluation/evaluate-facts.ts',
    'ANSWER_CHARACTERS_MAX = 900',
  ],
  [
    `${EXPLANATION}/evaluation.md`,
    'No document answers 122 questions in `real-b`. For 27 of them, the service says so',
    'evaluation/results/real-answers.json',
    '"unanswerable": 122,\n        "admitted": 27',
  ],
  [
    `${EXPLANATION}/evaluation.md`,
    'In `test/natural`, these are 16 of 96, and 110 of the 1,026 answered questions are flagged',
    'evaluation/results/real-answers.json',
    '"flagged": 110,\n        "unanswerable": 96,\n        "admitted": 16',
  ],
  [
    `${EXPLANATION}/how-answers-are-made.md`,
    'at most about 800 characters',
    'src/answers/without-model/choose-passages.ts',
    'const CHARACTERS_MAX = 800',
  ],
  [
    `${EXPLANATION}/permissions.md`,
    'at most 1,000 entries of 320 characters',
    'src/permissions/access-policy.ts',
    'NAMES_MAX = 1_000',
  ],
  [
    `${EXPLANATION}/permissions.md`,
    'at most 1,000 entries of 320 characters',
    'src/permissions/access-policy.ts',
    'NAME_CHARACTERS_MAX = 320',
  ],
  ...[
    'ARCHITECTURE.md',
    `${EXPLANATION}/permissions.md`,
    'docs/reference/connectors/confluence.md',
    'docs/reference/connectors/jira.md',
    'docs/reference/connectors/onedrive.md',
    'console/src/pages/sources/readers-panel.tsx',
  ].map((page): Figure => [
    page,
    'every four minutes',
    'src/permission-polls/schedule.ts',
    'POLL_INTERVAL_MS = 4 * MINUTE_MS',
  ]),
  [
    `${EXPLANATION}/permissions.md`,
    'once a day for Microsoft Teams',
    'src/providers/microsoft/teams/index.ts',
    'pollMinutes: 24 * 60',
  ],
  [
    'docs/tutorials/connect-slack.md',
    'it starts after 15 minutes with the channels',
    'src/connections/store-account.ts',
    'CHOICE_MS = 15 * MINUTE_MS',
  ],
  [
    'console/src/pages/sources/channels-panel.tsx',
    'or after 15 minutes with all channels',
    'src/connections/store-account.ts',
    'CHOICE_MS = 15 * MINUTE_MS',
  ],
  [`${EXPLANATION}/retrieval.md`, '120 to 200 words', 'src/items/chunk-text.ts', 'CHUNK_WORDS_MIN = 120'],
  [`${EXPLANATION}/retrieval.md`, '120 to 200 words', 'src/items/chunk-text.ts', 'CHUNK_WORDS_MAX = 200'],
  [`${EXPLANATION}/retrieval.md`, 'the 200 nearest chunks', 'src/retrieval/search.ts', 'CANDIDATES = 200'],
  [
    `${EXPLANATION}/retrieval.md`,
    "0.6 of a word's weight",
    'src/retrieval/rank/hybrid-order.ts',
    'const TITLE = 0.6',
  ],
  [
    `${EXPLANATION}/retrieval.md`,
    'half the weight of two neighboring query words',
    'src/retrieval/rank/hybrid-order.ts',
    'const CLOSE = 0.5',
  ],
  [
    `${EXPLANATION}/retrieval.md`,
    'the cosine with 0.6 instead of 0.3',
    'src/retrieval/rank/hybrid-order.ts',
    'const COSINE_SHARE = 0.6',
  ],
  ['docs/reference/console-routes.md', 'in 7 days', 'src/kernel/retention.ts', 'REQUESTS_KEPT_DAYS = 7'],
  ['docs/reference/retrieval.md', 'the 100 best hits', 'src/retrieval/search.ts', 'AGED_MIN = 100'],
  ['docs/reference/retrieval.md', 'up to 35% with age', 'src/retrieval/rank/by-age.ts', 'AGE_SHARE = 0.35'],
  [
    `${EXPLANATION}/retrieval.md`,
    'threshold (0.037 for the built-in model)',
    'src/inference/calibrations.json',
    '"weakEvidenceBelow": 0.0369,',
  ],
  [
    `${EXPLANATION}/permissions.md`,
    'up to 1,000 addresses',
    'src/sources/audience.ts',
    'AUDIENCE_MAX = 1_000',
  ],
  [
    `${EXPLANATION}/reliability.md`,
    'The clock jumps by up to 7 minutes',
    'simulation/run-seed.ts',
    "streams.between('jump', 61_000, 400_000)",
  ],
  [
    `${EXPLANATION}/retrieval.md`,
    '1,024 dimensions',
    'src/inference/embedding-models/builtin/embed.ts',
    'DIMENSIONS = 1024',
  ],
  [
    `${EXPLANATION}/retrieval.md`,
    'Up to 1.9 times the threshold',
    'src/evidence/weak-evidence.ts',
    'DOUBTFUL_UP_TO = 1.9',
  ],
  [
    `${EXPLANATION}/benchmarks.md`,
    '(on PostgreSQL, 629,400)',
    'bench/results/upgrade.json',
    '"postgresChunks": 629400',
  ],
  [
    `${EXPLANATION}/benchmarks.md`,
    'from 632 to 675 MB embedded and from 623 to 663 MB',
    'bench/results/load.md',
    '| 632 / 675 |',
  ],
  [
    `${EXPLANATION}/benchmarks.md`,
    'from 632 to 675 MB embedded and from 623 to 663 MB',
    'bench/results/load.md',
    '| 623 / 663 |',
  ],
  [
    `${GUIDES}/approximate-index.md`,
    'uses up to 512 MB',
    'src/approximate-index/build-index.ts',
    'MEMORY_MB = 512',
  ],
  [
    `${GUIDES}/choose-models.md`,
    'about 500 MB, once',
    'scripts/tasks/install.mjs',
    'some 500 MB on the disk',
  ],
  [`${GUIDES}/deploy.md`, 'up to 25 seconds', 'src/http/create-server.ts', 'CLOSING_MAX_MS = 25_000'],
  [`${GUIDES}/deploy.md`, 'Allow 40 seconds', 'deploy/systemd/memory.service', 'TimeoutStopSec=40'],
  [
    `${GUIDES}/go-to-production.md`,
    'waits 40 seconds after SIGTERM',
    'deploy/compose/embedded.yaml',
    'stop_grace_period: 40s',
  ],
  [
    `${GUIDES}/measure-search.md`,
    'at most 1,000 questions and 1 MiB',
    'cli/evaluation/read-questions.ts',
    'QUESTIONS_MAX = 1_000',
  ],
  [
    `${GUIDES}/measure-search.md`,
    'at most 1,000 questions and 1 MiB',
    'cli/commands/evaluate.ts',
    'BYTES_MAX = 1_048_576',
  ],
  [
    `${GUIDES}/questions.md`,
    'at most 1 MiB of text',
    'src/items/ingest-request.ts',
    'BODY_BYTES_MAX = 1024 * 1024',
  ],
  [
    `${GUIDES}/questions.md`,
    'polled every 15 minutes',
    'src/config.ts',
    'SYNC_INTERVAL_MINUTES: positive.default(15)',
  ],
  [`${GUIDES}/questions.md`, 'valid for 7 days', 'src/kernel/retention.ts', 'INVITATION_DAYS = 7'],
  [
    `${GUIDES}/rotate-secrets.md`,
    'for 24 hours both secrets sign',
    'src/outgoing-webhooks/webhooks.ts',
    'PREVIOUS_SECRET_MS = DAY_MS',
  ],
  [`${GUIDES}/runbooks.md`, 'More than 2% of requests', 'deploy/monitoring/alerts.yaml', '> 0.02'],
  [`${GUIDES}/runbooks.md`, 'more than 900 MB', 'deploy/monitoring/alerts.yaml', '> 900e6'],
  [
    `${GUIDES}/runbooks.md`,
    'due for 15 minutes',
    'deploy/monitoring/alerts.yaml',
    'webhook_deliveries_lag_seconds{job="memory"}) > 900',
  ],
  [
    `${GUIDES}/sign-in.md`,
    'differ by 60 seconds',
    'src/access/verify-token.ts',
    'CLOCK_TOLERANCE_SECONDS = 60',
  ],
  [`${GUIDES}/troubleshoot.md`, '32 characters or more after `svc_`', 'src/config.ts', '/^svc_[\\w-]{32,}$/'],
  [
    'docs/tutorials/sell-plans.md',
    '0.015 USD for each',
    'src/billing/plans/plans.ts',
    'EXTRA_ANSWER_MICRO_USD = 15_000',
  ],
  [
    'docs/tutorials/sell-plans.md',
    'advance the clock by 7 days and one hour',
    'src/billing/plans/plans.ts',
    'TRIAL_DAYS = 7',
  ],
]
/** Recommendations and parts of a tutorial's story, which nothing measures. */
const RECOMMENDED: readonly (readonly [page: string, text: string])[] = [
  [`${GUIDES}/deploy.md`, '512 MB per process on PostgreSQL, 1.5 GB embedded'],
  [`${GUIDES}/deploy.md`, 'beyond 100,000 chunks'],
  [`${GUIDES}/deploy.md`, 'about 5 KB per chunk'],
  ['docs/tutorials/sell-plans.md', '31 days'],
]
/** Pages that say what the service measured or does; references have tests of their own. */
const CHECKED = /^(README|docs\/(explanation|guides|tutorials|index))/
const MEASURED =
  /(?<![\w`.,/-])(?:\d[\d,]*(?:\.\d+)?|\.\d+)[ \u00a0](?:%|(?:ms|s|[KMG]i?B|seconds?|minutes?|hours?|days?|characters|chunks|words|nearest|dimensions|seeds|items|entries|addresses|questions)\b)|(?<![\w`.,/-])(?:0?\.\d{3,4}|\d\.\d+ times)/g

let pages: DocPage[]
/** Figures that follow from results or lists. */
let computed: (readonly [page: string, text: string])[]
beforeAll(async () => {
  pages = await docPages()
  const megabytes = await snapshotMegabytes()
  computed = [
    [`${EXPLANATION}/retrieval.md`, `about ${megabytes.toFixed(1)} MB per thousand chunks`],
    [`${EXPLANATION}/limits.md`, `about ${megabytes.toFixed(0)} GB of memory`],
    ['docs/guides/reverse-proxy.md', `bodies of ${SERVICE_FILE_LIMITS.fileBytes / 2 ** 20} MiB`],
    ...KNOWN_MODELS.map((model) => [`${GUIDES}/choose-models.md`, `| ${model.dimensions} |`] as const),
  ]
})

/** The memory of a thousand chunks, measured with many organizations. */
async function snapshotMegabytes(): Promise<number> {
  const Results = z.object({
    results: z.tuple([
      z.object({ heldMb: z.number(), heldOrganizations: z.number(), chunksEach: z.number() }),
    ]),
  })
  const [measured] = Results.parse(JSON.parse(await readPage('bench/results/tenants.json'))).results
  return (measured.heldMb / (measured.heldOrganizations * measured.chunksEach)) * 1_000
}

describe('a figure in the text of a page', () => {
  it.each(FIGURES)('%s: %s', async (page, text, file, line) => {
    expect(await readPage(page)).toContain(text)
    expect(await readPage(file)).toContain(line)
  })

  it('is what the results and the lists say', async () => {
    for (const [page, text] of computed) expect(await readPage(page)).toContain(text)
  })

  it('has a source', () => {
    const unknown = pages
      .filter(({ file }) => CHECKED.test(file))
      .flatMap(({ file, text }) => {
        const prose = proseOf(text.replaceAll(/<!-- figures: [^]*?<!-- \/figures -->/g, ''))
        const sourced = [...FIGURES, ...RECOMMENDED, ...computed]
        const known = sourced.filter(([page]) => page === file).map(([, part]) => part)
        const rest = known.reduce((now, part) => now.replaceAll(part, ''), prose)
        return [...rest.matchAll(MEASURED)].map(
          ({ index }) => `${file}: ${rest.slice(Math.max(0, index - 60), index + 40).replaceAll('\n', ' ')}`,
        )
      })
    expect(unknown).toEqual([])
  })
})
