/**
 * What each task runs under Node (file and fixed arguments), whether it needs the development packages as well, and
 * whether those of the console.
 * @type {Record<string, { command: string[], needsDevelopment: boolean, needsConsole?: boolean }>}
 */
export const TASKS = {
  // A large sync makes garbage faster than V8 by itself cares to collect: with these the process stays under 600 MB.
  // (16 MB take 15 to 50 MB more, and neither search nor ingest gains more than runs differ by; 20 % in place of 30 cost more of
  // the processors than it was worth, and `--optimize-for-size` more still.)
  start: {
    command: ['--max-semi-space-size=8', '--heap-growing-percent=30', 'src/main.ts'],
    needsDevelopment: false,
  },
  memory: { command: ['cli/main.ts'], needsDevelopment: false },
  test: { command: ['node_modules/vitest/vitest.mjs', 'run'], needsDevelopment: true, needsConsole: true },
  check: { command: ['scripts/tasks/check.ts'], needsDevelopment: true, needsConsole: true },
  distribute: { command: ['scripts/distribute.ts'], needsDevelopment: false },
  bench: { command: ['bench/main.ts'], needsDevelopment: true },
  evaluate: { command: ['evaluation/main.ts'], needsDevelopment: true },
  emulators: { command: ['emulators/main.ts'], needsDevelopment: false },
  generate: { command: ['scripts/generate.ts'], needsDevelopment: true },
  guide: { command: ['scripts/build-guide.mjs'], needsDevelopment: false },
  'build-client': { command: ['scripts/build-client.mjs'], needsDevelopment: true },
  format: { command: ['node_modules/oxfmt/bin/oxfmt', '.'], needsDevelopment: true },
}
