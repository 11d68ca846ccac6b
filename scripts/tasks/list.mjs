/**
 * What each task runs under Node (file and fixed arguments), whether it needs the development packages as well, and
 * whether those of the console.
 * @type {Record<string, { command: string[], needsDevelopment: boolean, needsConsole?: boolean }>}
 */
export const TASKS = {
  // A large sync makes garbage faster than V8 by itself cares to collect: with these the process stays under 600 MB.
  // (8 MB and 20 % save some 20 MB more and take a twelfth more of the processors for a search; `--optimize-for-size` doubles that.)
  start: {
    command: ['--max-semi-space-size=16', '--heap-growing-percent=30', 'src/main.ts'],
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
  format: { command: ['node_modules/oxfmt/bin/oxfmt', '.'], needsDevelopment: true },
}
