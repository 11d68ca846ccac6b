import { checkAlways, checkAtRest } from './checks.ts'
import type { InjectedFault } from './faults.ts'
import { nextOperation } from './operations.ts'
import { audit } from './send.ts'
import { type Plan, makeWorld, type World } from './world.ts'

export interface Outcome {
  seed: number
  violations: string[]
  faults: readonly InjectedFault[]
  /** Operations that left a process. */
  operations: number
  processes: number
  simulatedMs: number
  /** The operations, faults and clock steps, in order. */
  trace: string[]
}

const OPERATION_MAX_MS = 900_000
const REST_STEPS_MAX = 80
const REST_STEP_MS = 4_000
const REST_JUMP_MS = 40_000
const EVENTS_MS = 3_700_000

/** Runs one seed until its end or its first violation. */
export async function runSeed(plan: Plan): Promise<Outcome> {
  const trace: string[] = []
  const world = await makeWorld({ ...plan, log: (line) => plan.log(line) })
  const startedAt = world.time.now()
  const onFailure = (error: unknown): void =>
    world.violate(`nobody caught: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
  process.on('unhandledRejection', onFailure)
  process.on('uncaughtException', onFailure)
  try {
    world.faults.start()
    for (let round = 1; round <= plan.rounds && world.violations.length === 0; round += 1)
      await runRound(world, round, trace)
    if (world.violations.length === 0) await comeToRest(world, trace)
  } catch (error) {
    world.violate(error instanceof Error ? (error.stack ?? error.message) : String(error))
  } finally {
    process.off('unhandledRejection', onFailure)
    process.off('uncaughtException', onFailure)
    await world.close()
  }
  return {
    seed: plan.seed,
    violations: world.violations,
    faults: world.faults.injected,
    operations: world.faults.operations,
    processes: world.fleet.started,
    simulatedMs: world.time.now() - startedAt,
    trace,
  }
}

/** A few concurrent clients, and then time passes. Everything is drawn even if the round is skipped. */
async function runRound(world: World, round: number, trace: string[]): Promise<void> {
  const { streams, time, plan, fleet } = world
  const operations = Array.from({ length: streams.between('clients', 1, 4) }, () => nextOperation(world))
  const event = streams.draw('event')
  const pauseMs = streams.between('pause', 0, 9_000)
  const jumpMs = streams.between('jump', 61_000, 400_000)
  if (plan.skipRounds.has(round)) return
  const note = (what: string): void => {
    trace.push(`${round}: ${what}`)
  }
  for (const { name } of operations) note(name)
  await time.until(fleet.fill(), OPERATION_MAX_MS)
  const work = Promise.all(operations.map(({ run }) => run()))
  if (event < 0.05) {
    await time.advance(Math.floor(streams.draw('moment of death') * 300))
    note('a process is killed')
    fleet.kill()
  } else if (event < 0.08) {
    note('a rolling restart')
    await time.until(Promise.all([work, fleet.restart()]), OPERATION_MAX_MS)
  }
  await time.until(work, OPERATION_MAX_MS)
  if (event > 0.9) {
    note(`the clock jumps by ${Math.round(jumpMs / 1000)} s`)
    time.jump(jumpMs)
  }
  await time.advance(pauseMs)
  await time.until(checkAlways(world), OPERATION_MAX_MS)
}

/** Without faults, all runs, reports and reservations finish. Then everything is compared. */
async function comeToRest(world: World, trace: string[]): Promise<void> {
  const { faults, fleet, time } = world
  faults.stop()
  trace.push('the faults end')
  await time.until(fleet.fill(), OPERATION_MAX_MS)
  // Slack's last retry of an event may still be due; a lost event is noticed when its source is polled within the hour.
  time.jump(EVENTS_MS)
  await queueRuns(world)
  for (let step = 0; ; step += 1) {
    await time.advance(REST_STEP_MS)
    const waiting = await time.until(underWay(world), OPERATION_MAX_MS)
    if (waiting.length === 0) break
    if (step > REST_STEPS_MAX) throw new Error(`it does not come to rest: ${waiting.join(', ')}`)
    if (step % 3 === 2) time.jump(REST_JUMP_MS)
  }
  await time.until(checkAtRest(world), OPERATION_MAX_MS)
}

/** Each source is read once more after the last change. */
async function queueRuns(world: World): Promise<void> {
  const { fleet, time } = world
  for (const organization of world.organizations)
    for (const connectorId of Object.values(organization.connected)) {
      const { secret: key } = organization.admin
      const call = { method: 'POST', path: '/v1/sync-runs', key, body: { connectorId } }
      for (let tries = 0; ; tries += 1) {
        const reply = await time.until(fleet.call(call), OPERATION_MAX_MS)
        if (reply?.status !== 202) audit(organization, 'sync_run.create', reply, reply?.body?.syncRun?.id)
        if (reply?.status === 201) break
        if (tries > REST_STEPS_MAX) throw new Error(`no run could be queued: ${JSON.stringify(reply)}`)
        await time.advance(REST_STEP_MS)
        if (tries % 3 === 2) time.jump(REST_JUMP_MS)
      }
    }
}

async function underWay({ database: { db } }: World): Promise<string[]> {
  const runs = await db
    .selectFrom('sync_runs')
    .select('status')
    .where('status', 'in', ['queued', 'running'])
    .execute()
  const reports = await db.selectFrom('overage_reports').select('id').where('sent_at', 'is', null).execute()
  const credits = await db.selectFrom('credit_reservations').select('id').execute()
  return [
    ...runs.map(({ status }) => `a ${status} run`),
    ...reports.map(() => 'a report'),
    ...credits.map(() => 'a reserved credit'),
  ]
}
