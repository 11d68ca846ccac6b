import { mkdtemp, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startEmulatedService } from './support/emulated-service.ts'
import { startCommand } from './support/run-command.ts'

it('leaves a whole conversation when the reader of the answer closes the pipe, as head does', async () => {
  const service = await startEmulatedService()
  const folder = await mkdtemp(join(tmpdir(), 'memory-talk-'))
  const args = ['ask', 'how many days?', '--no-stream', '--conversation', join(folder, 'talk.json')]
  const command = startCommand(args, { MEMORY_URL: service.url, MEMORY_API_KEY: service.key })
  command.child.stdout?.destroy()
  expect(await command.done).toMatchObject({ code: 0, stdout: '', stderr: '' })
  expect(await readdir(folder)).toEqual(['talk.json'])
  await service.close()
})
