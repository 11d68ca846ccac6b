import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'

const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
const INSTALL_MAX_MS = 10 * 60_000

/**
 * A Chromium on this machine: the one at `CHROMIUM_PATH`, else Debian's, installed with apt if possible.
 * @returns its path, or why there is none
 */
export async function findChromium(): Promise<{ path: string } | { reason: string }> {
  const named = process.env.CHROMIUM_PATH
  if (named !== undefined && named !== '')
    return existsSync(named) ? { path: named } : { reason: `there is no ${named}, which CHROMIUM_PATH names` }
  const present = PATHS.find((path) => existsSync(path))
  if (present !== undefined) return { path: present }
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get'))
    return { reason: 'no Chromium is installed, and only root on Debian can install it here' }
  console.error('Installing Chromium with apt-get for the browser tests. This happens once…')
  try {
    const options = { timeout: INSTALL_MAX_MS, env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } }
    await promisify(execFile)('apt-get', ['update', '-qq'], options).catch(() => undefined)
    await promisify(execFile)('apt-get', ['install', '-y', '--no-install-recommends', 'chromium'], options)
  } catch (error) {
    return {
      reason: `apt-get could not install Chromium: ${error instanceof Error ? error.message : String(error)}`,
    }
  }
  const installed = PATHS.find((path) => existsSync(path))
  return installed === undefined ? { reason: 'apt-get installed no Chromium' } : { path: installed }
}
