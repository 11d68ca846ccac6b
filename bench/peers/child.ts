import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

/** The path of a file in this folder, which is a separate package. */
export function peerPath(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url))
}

/** Whether a package of this folder is installed. */
export function isInstalled(name: string): boolean {
  return existsSync(peerPath(`node_modules/${name}/package.json`))
}

/** Runs a script of this folder in a child process; its standard output is ignored or read. */
export function spawnPeer(
  script: string,
  args: readonly string[],
  stdio: ('ignore' | 'inherit' | 'pipe' | 'ipc')[],
): ChildProcess {
  return spawn(process.execPath, [peerPath(script), ...args], { stdio })
}

/** Resident memory of a process in MB; null: not reported by the operating system. */
export async function residentMbOf({ pid }: ChildProcess): Promise<number | null> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const kilobytes = /VmRSS:\s+(\d+)/.exec(status)?.[1]
  return kilobytes === undefined ? null : Number(kilobytes) / 1_024
}

/** Ends the process and waits for its exit. */
export async function endPeer(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}
