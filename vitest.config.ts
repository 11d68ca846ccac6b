import { defineConfig } from 'vitest/config'

// Database suites (*.db.test.ts) run on the embedded database always, and on PostgreSQL when TEST_DATABASE_URL is set.
const postgresUrl = process.env.TEST_DATABASE_URL

// They only end what hangs: how long a test takes depends on what else the machine does, and says nothing about the code.
// What waits for something gives up by itself when nothing changes any more (test/support/until.ts).
// A test that fails is run once more, and reported as such: a real fault fails twice, a neighbour's burst does not.
const shared = { testTimeout: 300_000, hookTimeout: 300_000, retry: 1, pool: 'forks' as const }
// They drive a real browser on the built console, and are skipped, loudly, where no Chromium can be had.
const browserSuites = ['test/browser/**/*.browser.test.ts']
const databaseSuites = ['src/**/*.db.test.ts', 'test/**/*.db.test.ts', 'evaluation/**/*.db.test.ts']

const browserSetup = ['test/support/database-setup.ts', 'test/browser/setup.ts']

export default defineConfig({
  test: {
    maxWorkers: 2,
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
          globalSetup: browserSetup,
        },
      },
      ...(postgresUrl
        ? [
            {
              test: {
                ...shared,
                name: 'postgres-browser',
                include: browserSuites,
                env: { TEST_DRIVER: 'postgres', TEST_DATABASE_URL: postgresUrl },
                globalSetup: browserSetup,
              },
            },
            {
              test: {
                ...shared,
                name: 'postgres',
                include: databaseSuites,
                env: { TEST_DRIVER: 'postgres', TEST_DATABASE_URL: postgresUrl },
                globalSetup: ['test/support/database-setup.ts'],
              },
            },
          ]
        : []),
    ],
  },
})
