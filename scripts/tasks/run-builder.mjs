import { spawn } from 'node:child_process'

/**
 * Runs a build tool to its end, at the latest that of this process.
 * @param {{ what: string, runtime: string, args: string[], cwd: string, env?: Record<string, string> }} options
 * @throws with the tool's output.
 */
export function runBuilder({ what, runtime, args, cwd, env = {} }) {
  return new Promise((resolve, reject) => {
    const child = spawn(runtime, args, {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NODE_ENV: 'production', ...env },
    })
    const end = () => child.kill()
    process.once('exit', end)
    let output = ''
    child.stdout.on('data', (data) => (output += data))
    child.stderr.on('data', (data) => (output += data))
    child.once('error', reject)
    child.once('close', (code) => {
      process.off('exit', end)
      if (code === 0) resolve()
      else reject(new Error(`${what} could not be built:\n${output.trim()}`))
    })
  })
}
