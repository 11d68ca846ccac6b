import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCommand } from '../support/run-command.ts'

const FIRST = '00000000-0000-4000-8000-000000000001'
const SECOND = '00000000-0000-4000-8000-000000000002'
const HEADER = '{"format":"retrieval-memory","version":1,"model":"builtin-4","sources":[]}\n'

let server: Server
let home = ''
let answers: ((response: ServerResponse) => void)[] = []
const bodies: unknown[] = []

beforeEach(async () => {
  bodies.length = 0
  home = await mkdtemp(path.join(os.tmpdir(), 'export-'))
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    bodies.push(JSON.parse(await text(request)))
    answers.shift()?.(response)
  }
  server = createServer((request, response) => void answer(request, response))
  await once(server.listen(0, '127.0.0.1'), 'listening')
})
afterEach(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  await rm(home, { recursive: true })
})

const breaking =
  (lines: string) =>
  (response: ServerResponse): void =>
    void response
      .writeHead(200, { 'content-type': 'application/x-ndjson' })
      .write(lines, () => setImmediate(() => response.destroy()))
const whole =
  (lines: string) =>
  (response: ServerResponse): void =>
    void response.writeHead(200, { 'content-type': 'application/x-ndjson' }).end(lines)
const file = (): string => path.join(home, 'workspace.jsonl')
const run = (target = file()) =>
  runCommand(['export', target], {
    MEMORY_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    MEMORY_API_KEY: 'svc_test_key',
  })

describe('memory export', () => {
  it('continues after the last whole line when the connection breaks', async () => {
    const [first, second, end] = [`{"id":"${FIRST}","n":1}\n`, `{"id":"${SECOND}","n":2}\n`, '{"end":true}\n']
    answers = [breaking(HEADER + first + second.slice(0, 40)), whole(HEADER + second + end)]
    const { code, stdout, stderr } = await run()
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${file()}: 2 items with vectors of builtin-4\n` })
    expect(stderr).toContain('was interrupted after 1 items; continuing')
    expect(bodies).toEqual([{}, { after: FIRST }])
    expect(await readFile(file(), 'utf8')).toBe(HEADER + first + second + end)
  })

  it('says that the file cannot be written', async () => {
    const { code, stderr } = await run(path.join(home, 'missing', 'workspace.jsonl'))
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('cannot be written: its folder does not exist'),
    })
    expect(bodies).toEqual([])
  })

  it('leaves no file when the export ends early or is refused, and overwrites none', async () => {
    answers = [whole(HEADER)]
    expect(await run()).toMatchObject({ code: 1, stderr: expect.stringContaining('without its last line') })
    answers = [(response) => response.writeHead(403).end('{"error":"No","code":"action_not_allowed"}')]
    expect(await run()).toMatchObject({ code: 1, stderr: expect.stringContaining('No') })
    expect(await readdir(home)).toEqual([])
    // Another process may have created this file.
    await writeFile(`${file()}.part`, 'theirs')
    expect(await run()).toMatchObject({ code: 1, stderr: expect.stringContaining('.part exists') })
    expect(await readFile(`${file()}.part`, 'utf8')).toBe('theirs')
    await rm(`${file()}.part`)
    await writeFile(file(), 'mine')
    expect(await run()).toMatchObject({ code: 1, stderr: expect.stringContaining('already exists') })
    expect(await readFile(file(), 'utf8')).toBe('mine')
  })
})
