import { execFile } from 'node:child_process'
import path from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = path.join(import.meta.dirname, '..')

function run(script: string, ...args: string[]): Promise<{ code: unknown; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [script, ...args], { cwd: ROOT }, (error, _stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stderr }),
    )
  })
}

describe('a wrong argument', () => {
  it.each([
    ['simulation/main.ts', ['--sedes', '1..2'], "Unknown option '--sedes'"],
    ['simulation/main.ts', ['--seed', 'one'], '--seed must be a number'],
    ['simulation/main.ts', ['--seeds', '1-2'], '--seeds must be FROM..TO'],
    ['bench/main.ts', ['toString'], 'unknown measurement "toString"'],
  ])('of %s is named, with the usage: %j', async (script, args, message) => {
    const { code, stderr } = await run(script, ...args)
    expect(code).toBe(2)
    expect(stderr).toContain(message)
    expect(stderr).toContain('Usage: npm run')
  })
})
