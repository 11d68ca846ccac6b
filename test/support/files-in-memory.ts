import { mkdirSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import path from 'node:path'

const MEMORY = '/dev/shm'
const PREFIX = 'memory-tests-'
const FREE_BYTES_MIN = 4 * 2 ** 30

/**
 * Puts temporary files of this process and its children into memory where Linux offers it, because tests of the service
 * process spend half their time waiting for disk flushes. `test/support/power-cuts` tests flushes on a simulated disk.
 */
export function keepFilesInMemory(): void {
  if (process.env.TMPDIR !== undefined || !isUsable()) return
  removeLeftOvers()
  const folder = path.join(MEMORY, `${PREFIX}${process.pid}`)
  mkdirSync(folder, { recursive: true })
  process.env.TMPDIR = folder
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
}

/** Some tests run programs from their temporary folder, which a container's `/dev/shm` often forbids. */
function isUsable(): boolean {
  try {
    const mount = readFileSync('/proc/self/mounts', 'utf8')
      .split('\n')
      .find((line) => line.startsWith('tmpfs ') && line.split(' ')[1] === MEMORY)
    const { bavail, bsize } = statfsSync(MEMORY)
    return mount !== undefined && !mount.includes('noexec') && bavail * bsize > FREE_BYTES_MIN
  } catch {
    return false
  }
}

/** Removes the folders of runs that were killed. */
function removeLeftOvers(): void {
  for (const name of readdirSync(MEMORY)) {
    if (!name.startsWith(PREFIX) || isRunning(Number(name.slice(PREFIX.length)))) continue
    rmSync(path.join(MEMORY, name), { recursive: true, force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
