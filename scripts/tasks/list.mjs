/**
 * What each task runs under Node (file and fixed arguments), its arguments if none are given, and whether it also needs
 * the development packages and those of the console.
 * @type {Record<string, { command: string[], defaults?: string[], needsDevelopment: boolean, needsConsole?: boolean }>}
 */
export const TASKS = {
  // A large sync produces garbage faster than V8 collects it by default; with these options the process stays under
  // 600 MB. (16 MB take 15 to 50 MB more, and neither search nor ingest gains measurably. 20 % instead of 30 and
  // `--optimize-for-size` cost too much CPU time.)
  start: {
    command: ['--max-semi-space-size=8', '--heap-growing-percent=30', 'src/main.ts'],
    needsDevelopment: false,
  },
  memory: { command: ['cli/main.ts'], needsDevelopment: false },
  test: {
    command: ['node_modules/vitest/vitest.mjs', 'run'],
    defaults: ['--project=!long', '--project=!browser'],
    needsDevelopment: true,
    needsConsole: true,
  },
  check: { command: ['scripts/tasks/check.ts'], needsDevelopment: true, needsConsole: true },
  distribute: { command: ['scripts/distribute.ts'], needsDevelopment: false },
  bench: { command: ['bench/main.ts'], needsDevelopment: true },
  evaluate: { command: ['evaluation/main.ts'], needsDevelopment: true },
  simulate: { command: ['simulation/main.ts'], needsDevelopment: true },
  emulators: { command: ['emulators/main.ts'], needsDevelopment: false },
  connector: { command: ['scripts/connector.ts'], needsDevelopment: false },
  generate: { command: ['scripts/generate.ts'], needsDevelopment: true },
  guide: { command: ['scripts/build-guide.mjs'], needsDevelopment: false },
  'build-client': { command: ['scripts/build-client.mjs'], needsDevelopment: true },
  format: { command: ['node_modules/oxfmt/bin/oxfmt', '.'], needsDevelopment: true },
}
