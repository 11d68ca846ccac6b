/**
 * What each task runs under Node (file and fixed arguments), and whether it needs the development packages as well.
 * @type {Record<string, { command: string[], needsDevelopment: boolean }>}
 */
export const TASKS = {
  start: { command: ['src/main.ts'], needsDevelopment: false },
  memory: { command: ['cli/main.ts'], needsDevelopment: false },
  test: { command: ['node_modules/vitest/vitest.mjs', 'run'], needsDevelopment: true },
  check: { command: ['scripts/tasks/check.ts'], needsDevelopment: true },
  bench: { command: ['bench/main.ts'], needsDevelopment: true },
  evaluate: { command: ['evaluation/main.ts'], needsDevelopment: true },
  emulators: { command: ['emulators/main.ts'], needsDevelopment: false },
  generate: { command: ['scripts/generate.ts'], needsDevelopment: true },
  format: { command: ['node_modules/oxfmt/bin/oxfmt', '.'], needsDevelopment: true },
}
