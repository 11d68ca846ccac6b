import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { styleText } from 'node:util'
import pLimit from 'p-limit'
import { z } from 'zod'

interface Step {
  name: string
  /** A file in `node_modules/.bin`, or `node`. */
  command: string
  args: readonly string[]
  /** Stream the output, as tests do; other steps show theirs on failure. */
  live?: boolean
  /** Finds faults in the output of a successful command. */
  inspect?: (output: string) => string | undefined
}

interface Outcome {
  passed: boolean
  output: string
}

/** Folders whose imports the layer rules cover. */
const LAYERED = [
  'src',
  'cli',
  'client',
  'emulators',
  'bench',
  'evaluation',
  'simulation',
  'training',
  'console/src',
]

const LayerReport = z.object({
  modules: z.array(z.object({ source: z.string() })),
  summary: z.object({
    violations: z.array(z.object({ rule: z.object({ name: z.string() }), from: z.string(), to: z.string() })),
  }),
})

/** Stages run one after another. */
const STAGES: readonly (readonly Step[])[] = [
  // The OpenAPI document types the console's client, so a changed route breaks its types.
  [{ name: 'API types', command: 'node', args: ['scripts/console-types.mjs'] }],
  // Concurrently, as far as there are processors.
  [
    { name: 'dead code', command: 'knip', args: [] },
    {
      name: 'layers',
      command: 'depcruise',
      args: [...LAYERED, '--config', '.dependency-cruiser.cjs', '--output-type', 'json'],
      inspect: findLayerFaults,
    },
    { name: 'lint', command: 'oxlint', args: ['--type-aware', '--deny-warnings'] },
    {
      name: 'types',
      command: 'node',
      args: ['node_modules/@typescript/native/bin/tsc', '--noEmit', '-p', '.'],
    },
    {
      name: 'console',
      command: 'node',
      args: ['node_modules/@typescript/native/bin/tsc', '--noEmit', '-p', 'console'],
    },
    { name: 'format', command: 'oxfmt', args: ['--check', '.'] },
  ],
  // Arguments of `npm run check -- …` go to the tests: `--project postgres` where the others have just run.
  [{ name: 'tests', command: 'vitest', args: ['run', ...process.argv.slice(2)], live: true }],
]

/** Finds layer violations. A check that finds no modules passes too, so every folder must have been seen. */
function findLayerFaults(output: string): string | undefined {
  const { modules, summary } = LayerReport.parse(JSON.parse(output))
  const faults = summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`)
  for (const folder of LAYERED)
    if (!modules.some(({ source }) => source.startsWith(`${folder}/`)))
      faults.push(`No module of ${folder}/ was seen.`)
  return faults.length > 0 ? faults.join('\n') : undefined
}

/** Runs every step, even after a failure, so that one run shows all faults. */
async function main(): Promise<number> {
  const failed: string[] = []
  const inLine = pLimit(availableParallelism())
  for (const stage of STAGES)
    await Promise.all(
      stage.map((step) =>
        inLine(async () => {
          if (!(await report(step))) failed.push(step.name)
        }),
      ),
    )
  if (failed.length > 0) console.error(`Failed: ${failed.join(', ')}`)
  return failed.length > 0 ? 1 : 0
}

/** Runs a step and reports its result. @returns whether it passed */
async function report(step: Step): Promise<boolean> {
  const startedAt = performance.now()
  const { passed, output } = await runStep(step)
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  const mark = passed ? styleText('green', '✓') : styleText('red', '✗')
  console.log(`${mark} ${step.name.padEnd(10)} ${seconds.padStart(6)} s`)
  if (!passed && output !== '') console.log(output)
  return passed
}

function runStep({ command, args, live = false, inspect }: Step): Promise<Outcome> {
  const file = command === 'node' ? process.execPath : `node_modules/.bin/${command}`
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { stdio: live ? 'inherit' : ['ignore', 'pipe', 'pipe'] })
    let output = ''
    const collect = (data: Buffer) => {
      output += data.toString()
    }
    child.stdout?.on('data', collect)
    child.stderr?.on('data', collect)
    child.once('error', reject)
    child.once('close', (code) => {
      const fault = code === 0 ? inspect?.(output) : undefined
      resolve({ passed: code === 0 && fault === undefined, output: fault ?? output.trim() })
    })
  })
}

process.exitCode = await main()
