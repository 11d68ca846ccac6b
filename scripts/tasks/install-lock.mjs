// One installation at a time per checkout. The lock is a listening socket, so it ends with its process.
import { createHash } from 'node:crypto'
import { unlink } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'

const RETRY_MS = 250
const GIVE_UP_MS = 15 * 60_000

/**
 * Runs `work` exclusively for a folder; waits up to 15 minutes for the lock.
 * @param {string} folder
 * @param {() => Promise<void>} work
 * @throws errors of `work`, and after a timeout.
 */
export async function withInstallLock(folder, work) {
  const address = lockAddress(folder)
  const givesUpAt = performance.now() + GIVE_UP_MS
  let lock = await tryListen(address)
  if (lock === undefined) console.error('Another start of this checkout is installing; waiting for it…')
  while (lock === undefined) {
    if (performance.now() > givesUpAt) throw new Error('Another start is still installing after 15 minutes.')
    await sleep(RETRY_MS)
    lock = await tryListen(address)
  }
  try {
    await work()
  } finally {
    lock.close()
  }
}

/** On Linux an abstract socket name, which disappears with its process; elsewhere a socket file. */
function lockAddress(folder) {
  const name = `install-${createHash('sha256').update(folder).digest('hex').slice(0, 24)}`
  return process.platform === 'linux' ? `\0${name}` : path.join(tmpdir(), `${name}.sock`)
}

/** A server that holds the address; undefined while another process does. */
async function tryListen(address) {
  const server = createServer((socket) => socket.destroy())
  const failure = await new Promise((resolve) => {
    server.once('error', resolve)
    server.listen({ path: address, exclusive: true }, () => resolve(undefined))
  })
  if (failure === undefined) return server
  if (failure.code !== 'EADDRINUSE') throw failure
  // A socket file outlives a killed process; then nothing answers on it.
  if (!address.startsWith('\0') && !(await isAnswered(address))) await unlink(address).catch(() => {})
  return undefined
}

function isAnswered(address) {
  return new Promise((resolve) => {
    const socket = connect({ path: address }, () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
