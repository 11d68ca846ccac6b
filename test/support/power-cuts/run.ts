import { cp, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { databaseFolder, makeSnapshot } from '../database-setup.ts'
import { seededRandom } from '../random.ts'
import { checkAfterCut } from './check-after-cut.ts'
import { runDatabasesHere } from './database-here.ts'
import { Disk, type DiskEvent } from './disk.ts'
import { recordFiles } from './record-files.ts'
import { type Mark, type Phase, PHASES, placesIn, runWorkload } from './workload.ts'

/*
 * Records a service's changes to its disk, cuts the power at many moments, and starts a service on the remaining files each
 * time. It is a separate process, because it replaces functions of Node: `node run.ts CUTS`, with a seed in TEST_SEED. Prints JSON.
 */

type Event = DiskEvent | { kind: 'mark'; mark: Mark }

/** How much unflushed data a cut keeps: nothing, some, or all. */
const SHARES = [0, 0.1, 0.5, 0.9, 1]

/** One cut can cause a fault for each item. */
const WRONG_SHOWN = 5

const random = seededRandom('power cuts')
const cuts = Number(process.argv[2])
/** A long run that is stopped prints its findings. */
const stopping = new AbortController()
process.once('SIGTERM', () => stopping.abort())
let tried = 0
const parent = await mkdtemp(path.join(tmpdir(), 'power-cuts-'))
try {
  const events: Event[] = []
  const { root, before } = await prepare()
  await record(root, events)
  await requireComplete(root, before(), events)
  const moments = chooseMoments(events, cuts)
  const failures = await cutAt(moments, before(), events, SHARES)
  const cutsDone = tried
  // The check must detect a disk on which flushes have no effect. One cut that does is enough.
  const control = chooseMoments(events, PHASES.length)
  const noticed = await cutAt(control, withoutFlushes(before()), events, [0.5], { failuresMax: 1 })
  const phases = Object.fromEntries(
    PHASES.map((name) => [name, moments.filter(({ phase }) => phase === name).length]),
  )
  const flushes = events.filter(({ kind }) => kind === 'flush').length
  process.stdout.write(
    `${JSON.stringify({ cuts: cutsDone, phases, events: events.length, flushes, failures, control: tried - cutsDone, noticed: noticed.length })}\n`,
  )
} finally {
  await rm(parent, { recursive: true, force: true })
}

/** The service's folder, and the disk as it was before. */
async function prepare(): Promise<{ root: string; before: () => Disk }> {
  await makeSnapshot()
  const [root, copy] = [path.join(parent, 'recorded'), path.join(parent, 'before')]
  await mkdir(placesIn(root).dataDir, { recursive: true })
  await cp(databaseFolder(), path.join(placesIn(root).dataDir, 'database'), { recursive: true })
  await cp(root, copy, { recursive: true })
  return { root, before: () => new Disk(copy) }
}

async function record(root: string, events: Event[]): Promise<void> {
  const useThreads = runDatabasesHere()
  const stopRecording = recordFiles(root, (event) => events.push(event))
  try {
    await runWorkload(root, (mark) => events.push({ kind: 'mark', mark }))
  } finally {
    stopRecording()
    useThreads()
  }
}

/** Replaying the recording must produce the actual files, except the lock, which SQLite writes. @throws with the first different file */
async function requireComplete(root: string, disk: Disk, events: readonly Event[]): Promise<void> {
  for (const event of events) if (event.kind !== 'mark') disk.apply(event)
  const simulated = path.join(parent, 'simulated')
  disk.writeAfterCut(simulated, random, 1)
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const name = path.join(path.relative(root, entry.parentPath), entry.name)
    if (!entry.isFile() || entry.name.startsWith('database.lock')) continue
    const isSame = (await readFile(path.join(root, name))).equals(await readFile(path.join(simulated, name)))
    if (!isSame) throw new Error(`${name} was written by something that is not recorded`)
  }
  await Promise.all([root, simulated].map((folder) => rm(folder, { recursive: true, force: true })))
}

interface Moment {
  /** The number of earlier events. */
  at: number
  phase: Phase
}

/** The same number of random moments for each phase, in order. */
function chooseMoments(events: readonly Event[], count: number): Moment[] {
  const starts = PHASES.map((phase) => ({
    phase,
    from: events.findIndex(
      (event) => event.kind === 'mark' && event.mark.kind === 'phase' && event.mark.phase === phase,
    ),
  }))
  return Array.from({ length: count }, (_, n) => {
    const of = n % PHASES.length
    const { phase, from } = starts[of] ?? { phase: 'key', from: 0 }
    const to = starts[of + 1]?.from ?? events.length
    return { phase, at: from + 1 + Math.floor(random() * (to - from)) }
  }).toSorted((a, b) => a.at - b.at)
}

/** Applies everything except flushes. */
function withoutFlushes(disk: Disk): Pick<Disk, 'apply' | 'writeAfterCut'> {
  return {
    apply(event) {
      if (event.kind !== 'flush') disk.apply(event)
    },
    writeAfterCut: (...options) => disk.writeAfterCut(...options),
  }
}

async function cutAt(
  moments: readonly Moment[],
  disk: Pick<Disk, 'apply' | 'writeAfterCut'>,
  events: readonly Event[],
  shares: readonly number[],
  { failuresMax = Infinity }: { failuresMax?: number } = {},
): Promise<object[]> {
  const marks: Mark[] = []
  const failures: object[] = []
  let done = 0
  for (const [cut, { at, phase }] of moments.entries()) {
    if (stopping.signal.aborted || failures.length >= failuresMax) break
    tried += 1
    for (; done < at; done++) {
      const event = events[done]
      if (event?.kind === 'mark') marks.push(event.mark)
      else if (event) disk.apply(event)
    }
    const share = shares[Math.floor(random() * shares.length)] ?? 0
    const folder = path.join(parent, `cut-${shares.length}-${cut}`)
    disk.writeAfterCut(folder, random, share)
    const wrong = await checkAfterCut(folder, marks)
    if (wrong.length > 0) failures.push({ cut, at, phase, share, wrong: wrong.slice(0, WRONG_SHOWN) })
    if (wrong.length === 0 || !process.env.KEEP_CUTS) await rm(folder, { recursive: true, force: true })
  }
  return failures
}
