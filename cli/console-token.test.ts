import { createServer } from 'node:net'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { runCommand } from './support/run-command.ts'

/** A loopback address that nothing listens on. */
async function freeAddress(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
}

it.each([[['token']], [['connect', 'slack']], [['billing', 'show']]])(
  'says that no service answers, for memory %j',
  async (args) => {
    const url = await freeAddress()
    const { code, stderr } = await runCommand(args, { MEMORY_URL: url })
    expect(code).toBe(1)
    expect(stderr).toContain(`Cannot connect to ${url}. Start the service with "npm start"`)
  },
)
