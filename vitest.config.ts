import { randomInt } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { keepFilesInMemory } from './test/support/files-in-memory.ts'

keepFilesInMemory()

// Database suites (*.db.test.ts) run on the embedded database always, and on PostgreSQL when TEST_DATABASE_URL is set.
const postgresUrl = process.env.TEST_DATABASE_URL

// What tests leave to chance follows from this seed (test/support/random.ts). The processes that run them inherit it.
if (process.env.TEST_SEED === undefined) {
  process.env.TEST_SEED = String(randomInt(2 ** 31))
  console.log(`TEST_SEED=${process.env.TEST_SEED}`)
}

// They only end what hangs: how long a test takes depends on what else the machine does, and says nothing about the code.
// What waits for something gives up by itself when nothing changes any more (test/support/until.ts).
// A test that fails is run once more, and reported as such: a real fault fails twice, a neighbour's burst does not.
// The files of a project share the processes that run them: half of what a suite takes is to load the service and compile
// the embedded database, and that is done once a process. Every file has its own database and servers all the same, and
// `leave-as-found` fails a file that would leave anything behind in the process.
const shared = {
  testTimeout: 300_000,
  hookTimeout: 300_000,
  retry: 1,
  pool: 'forks' as const,
  isolate: false,
  setupFiles: ['test/support/random.ts', 'test/support/leave-as-found.ts'],
}
// They drive a real browser on the built console, and are skipped, loudly, where no Chromium can be had.
const browserSuites = ['test/browser/**/*.browser.test.ts']
const databaseSuites = ['src', 'test', 'evaluation', 'simulation'].map(
  (folder) => `${folder}/**/*.db.test.ts`,
)

// What they test lies above the database, and other suites run their statements on PostgreSQL.
const ON_ONE_DATABASE = [
  'evaluation/evaluation',
  'simulation/simulation',
  'src/tracing/tracing',
  ...[
    'cross-origin',
    'invitation-mail',
    'left-out-or-added',
    'mcp-suite',
    'mcp-wire',
    'slow-clients',
    'words',
  ].map((name) => `test/conformance/${name}`),
  ...[
    'client',
    'command-line',
    'connect-command',
    'doc-samples',
    'fifth-provider',
    'first-question',
    'guide-samples',
    'model-command',
    'provider-faults',
    'provider-outages',
    'reference-samples',
  ].map((name) => `test/journeys/${name}`),
].map((name) => `${name}.db.test.ts`)

// Long for their length, which is all that a first run has to go by: begun last, one of them keeps a lone worker busy.
const LONG = [
  'simulation.db',
  'killed-overage',
  'killed-sync',
  'killed-ingest',
  'power-cuts',
  'saved-vectors',
  'journeys/backup',
  'backup/backup',
  'hostile-text',
  'journeys/process.db',
  'hostile-bodies.db',
  'provider-outages.db',
  'provider-faults.db',
]

const isLong = ({ moduleId }: TestSpecification): boolean =>
  LONG.some((name) => moduleId.endsWith(`/${name}.test.ts`))

/** Begins each project with what takes longest. One after the other: a worker that changes between them loads all anew. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- it is no array's
    const inOrder = await super.sort(files)
    const projects = Map.groupBy(inOrder, ({ project }) => project.name).values()
    return projects.flatMap((own) => own.toSorted((a, b) => Number(isLong(b)) - Number(isLong(a)))).toArray()
  }
}

// One more than processors, since tests wait a good deal for disks and for each other; each may take a gigabyte and a half of memory.
const WORKERS_MAX = 8

export default defineConfig({
  test: {
    maxWorkers: Math.min(WORKERS_MAX, availableParallelism() + 1),
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          include: [
            'src/**/*.test.ts',
            'test/**/*.test.ts',
            'cli/**/*.test.ts',
            'client/**/*.test.ts',
            'emulators/**/*.test.ts',
            'scripts/**/*.test.ts',
            'training/**/*.test.ts',
            'evaluation/**/*.test.ts',
            'bench/**/*.test.ts',
            'simulation/**/*.test.ts',
            'console/src/**/*.test.ts',
          ],
          exclude: [...databaseSuites, ...browserSuites],
        },
      },
      {
        test: {
          ...shared,
          name: 'embedded',
          include: databaseSuites,
          env: { TEST_DRIVER: 'embedded' },
          globalSetup: ['test/support/database-setup.ts'],
        },
      },
      {
        test: {
          ...shared,
          name: 'browser',
          include: browserSuites,
          env: { TEST_DRIVER: 'embedded' },
          globalSetup: ['test/browser/setup.ts'],
        },
      },
      ...(postgresUrl
        ? [
            {
              test: {
                ...shared,
                name: 'postgres',
                include: databaseSuites,
                exclude: ON_ONE_DATABASE,
                env: { TEST_DRIVER: 'postgres', TEST_DATABASE_URL: postgresUrl },
                globalSetup: ['test/support/database-setup.ts'],
              },
            },
          ]
        : []),
    ],
  },
})
