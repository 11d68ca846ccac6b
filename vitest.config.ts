import { randomInt } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { keepFilesInMemory } from './test/support/files-in-memory.ts'

keepFilesInMemory()

// Database suites (*.db.test.ts) run on the embedded database always, and on PostgreSQL when TEST_DATABASE_URL is set.
const postgresUrl = process.env.TEST_DATABASE_URL

// The seed of all random choices in tests (test/support/random.ts). Worker processes inherit it.
if (process.env.TEST_SEED === undefined) {
  process.env.TEST_SEED = String(randomInt(2 ** 31))
  console.log(`TEST_SEED=${process.env.TEST_SEED}`)
}

// Timeouts only end tests that hang; `until` (test/support/until.ts) gives up earlier when nothing changes.
// A failed test runs once more and is reported: load on the machine rarely fails it twice.
// Files share processes, because loading the service and compiling the embedded database takes half of a suite's time.
// `leave-as-found` fails a file that leaves anything behind in the process.
const shared = {
  testTimeout: 300_000,
  hookTimeout: 300_000,
  retry: 1,
  pool: 'forks' as const,
  isolate: false,
  setupFiles: ['test/support/random.ts', 'test/support/leave-as-found.ts'],
}
// They drive a real browser on the built console. Without a Chromium they are skipped with a warning.
const browserSuites = ['test/browser/**/*.browser.test.ts']
const databaseSuites = ['src', 'test', 'evaluation', 'simulation'].map(
  (folder) => `${folder}/**/*.db.test.ts`,
)

// They test code above the database, whose statements other suites run on PostgreSQL.
const ON_ONE_DATABASE = [
  'evaluation/evaluation',
  'simulation/simulation',
  'src/tracing/tracing',
  'test/support/embedded-databases',
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

// What takes long: journeys of users, kills, power cuts, faults everywhere, hostile files. `npm test` without arguments
// leaves them out, as it does the browser.
const longSuites = [
  'simulation/simulation.db',
  'src/backup/backup',
  'src/database/durability.db',
  'src/file-text/ocr/ocr',
  'src/file-text/office/office-files',
  'src/tracing/process',
  'test/conformance/failing-statements.db',
  'test/conformance/failing-work.db',
  'test/conformance/hostile-bodies.db',
  'test/fuzz/*',
  'test/hostile-text',
  'test/journeys/*',
].map((name) => `${name}.test.ts`)

/** Projects run one after another, because a worker that changes projects reloads everything. */
class OneByOne extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- the method of the base class, not of an array
    const inOrder = await super.sort(files)
    return [...Map.groupBy(inOrder, ({ project }) => project.name).values()].flat()
  }
}

// One more than processors, because tests often wait for disks and for each other. Each may use 1.5 GB of memory.
const WORKERS_MAX = 8

export default defineConfig({
  test: {
    maxWorkers: Math.min(WORKERS_MAX, availableParallelism() + 1),
    sequence: { sequencer: OneByOne },
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
          exclude: [...databaseSuites, ...browserSuites, ...longSuites],
        },
      },
      {
        test: {
          ...shared,
          name: 'embedded',
          include: databaseSuites,
          exclude: longSuites,
          env: { TEST_DRIVER: 'embedded' },
          globalSetup: ['test/support/database-setup.ts'],
        },
      },
      {
        test: {
          ...shared,
          name: 'long',
          include: longSuites,
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
