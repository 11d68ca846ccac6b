import { parseArgs } from 'node:util'
import { messageOf } from '../src/kernel/thrown-errors.ts'
import { makeSnapshot, makeTemplate } from '../test/support/database-setup.ts'
import { runSeed, type Outcome } from './run-seed.ts'
import { shrink } from './shrink.ts'

/**
 * npm run simulate -- --seed N | --seeds FROM..TO [--rounds R | --minutes M] Runs the service, its dependencies and
 * its clients with a seeded clock and a seeded network, and checks its guarantees.
 */

const ROUNDS = 25
const NOTHING_SKIPPED = { skipRounds: new Set<number>(), skipFaults: new Set<number>() }

const OPTIONS = {
  seed: { type: 'string' },
  seeds: { type: 'string' },
  rounds: { type: 'string' },
  minutes: { type: 'string' },
  trace: { type: 'boolean', default: false },
  'no-shrink': { type: 'boolean', default: false },
} as const
const RANGE = /^(\d+)\.\.(\d+)$/
const given = readOptions()

function readOptions() {
  try {
    const { values } = parseArgs({ options: OPTIONS })
    for (const name of ['seed', 'rounds', 'minutes'] as const)
      if (Number.isNaN(Number(values[name] ?? 0))) throw new Error(`--${name} must be a number`)
    if (!RANGE.test(values.seeds ?? '0..0')) throw new Error('--seeds must be FROM..TO')
    return values
  } catch (error) {
    const usage =
      'npm run simulate -- --seed N | --seeds FROM..TO [--rounds R | --minutes M] [--trace] [--no-shrink]'
    process.stderr.write(`${messageOf(error)}\nUsage: ${usage}\n`)
    return process.exit(2)
  }
}

const databaseUrl = process.env.SIMULATION_DATABASE_URL
if (databaseUrl === undefined) {
  process.env.TEST_DRIVER = 'embedded'
  await makeSnapshot()
} else {
  Object.assign(process.env, { TEST_DRIVER: 'postgres', TEST_DATABASE_URL: databaseUrl })
  await makeTemplate(databaseUrl)
}
process.exitCode = await runAll()
process.exit()

async function runAll(): Promise<number> {
  const rounds = Number(given.rounds ?? ROUNDS)
  const [first, last] = rangeOf()
  const startedAt = performance.now()
  const isTimeUp = (): boolean =>
    given.minutes !== undefined && performance.now() - startedAt > Number(given.minutes) * 60_000
  const totals = { seeds: 0, faults: 0, operations: 0, processes: 0, simulatedMs: 0, failed: 0 }
  const byKind = new Map<string, number>()
  for (let seed = first; seed <= last && !isTimeUp(); seed += 1) {
    const began = performance.now()
    const outcome = await runSeed({ seed, rounds, ...NOTHING_SKIPPED, log })
    totals.seeds += 1
    totals.faults += outcome.faults.length
    totals.operations += outcome.operations
    totals.processes += outcome.processes
    totals.simulatedMs += outcome.simulatedMs
    for (const { place, kind } of outcome.faults)
      byKind.set(`${place}: ${kind}`, (byKind.get(`${place}: ${kind}`) ?? 0) + 1)
    const { operations, faults, violations } = outcome
    const took = Math.round((performance.now() - began) / 100) / 10
    console.log(
      `seed ${seed}: ${violations.length === 0 ? 'ok' : 'failed'}, ${operations} operations, ${faults.length} faults, ${took} s`,
    )
    if (given.trace) console.log([...outcome.trace, ...outcome.faults.map(describe)].join('\n'))
    if (outcome.violations.length === 0) continue
    totals.failed += 1
    await reportFailure(outcome, rounds)
  }
  const { seeds, faults, operations, processes, simulatedMs, failed } = totals
  console.log(
    `${seeds} seeds, ${failed} failed: ${operations} operations, ${faults} faults, ${processes} processes, ` +
      `${(simulatedMs / 3_600_000).toFixed(1)} simulated hours in ${Math.round((performance.now() - startedAt) / 1000)} s`,
  )
  for (const [kind, count] of [...byKind].toSorted(([one], [other]) => one.localeCompare(other)))
    console.log(`  ${kind}: ${count}`)
  return failed === 0 ? 0 : 1
}

async function reportFailure(outcome: Outcome, rounds: number): Promise<void> {
  const { seed, violations } = outcome
  console.log(`seed ${seed} failed:`)
  for (const violation of violations.slice(0, 5)) console.log(`  ${violation}`)
  console.log(`  again: npm run simulate -- --seed ${seed} --rounds ${rounds}`)
  if (given['no-shrink']) return
  const smallest = await shrink(outcome, rounds, (plan) => runSeed({ ...plan, log }))
  console.log(`  smallest: ${smallest.trace.length} steps and ${smallest.faults.length} faults`)
  for (const line of [...smallest.trace, ...smallest.faults.map(describe)]) console.log(`    ${line}`)
}

function describe({ number, place, kind, operation }: Outcome['faults'][number]): string {
  return `fault ${number}: ${kind} at ${place}, ${operation}`
}

function rangeOf(): [number, number] {
  if (given.seed !== undefined) return [Number(given.seed), Number(given.seed)]
  const [, from, to] = RANGE.exec(given.seeds ?? (given.minutes === undefined ? '1..20' : '1..1000000')) ?? []
  return [Number(from), Number(to)]
}

function log(line: string): void {
  if (process.env.SIMULATION_LOG !== undefined) console.error(line)
}
