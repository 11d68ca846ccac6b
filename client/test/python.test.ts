import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findPython } from '../../test/support/find-python.ts'
import { type EmulatedService, startEmulatedService } from '../../cli/support/emulated-service.ts'

const run = promisify(execFile)
const PACKAGE = path.join(import.meta.dirname, '../python')

const tested = await findPython('httpx', 'pytest')
const installer = await findPython('httpx', 'setuptools', 'wheel', 'pip')

const PROGRAM = `
import asyncio, json, os
from retrieval_memory import AsyncMemory, Memory, MemoryAPIError
url, key = os.environ["MEMORY_URL"], os.environ["MEMORY_API_KEY"]
def code_of():
    try:
        Memory("svc_no", url).sources.list()
    except MemoryAPIError as error:
        return error.code
async def stream():
    async with AsyncMemory(key, url) as memory:
        return "".join([event["text"] async for event in memory.ask_stream("days") if event["type"] == "delta"])
with Memory(key, url) as memory:
    print(json.dumps({
        "title": memory.search("days")["hits"][0]["title"],
        "answer": memory.ask("days")["answer"],
        "streamed": asyncio.run(stream()),
        "code": code_of(),
    }))
`

describe.skipIf(tested === null)('the Python client', () => {
  it('passes its own tests', async () => {
    const { stdout } = await run(tested ?? '', ['-m', 'pytest', '-q', '-p', 'no:cacheprovider'], {
      cwd: PACKAGE,
      env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
    })
    expect(stdout).toMatch(/\d+ passed/)
    expect(stdout).not.toMatch(/failed|skipped/)
  })
})

describe.skipIf(installer === null)('the installed Python client', () => {
  let folder: string
  let service: EmulatedService
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'python-client-'))
    service = await startEmulatedService()
  })
  afterAll(async () => {
    await service.close()
    await rm(folder, { recursive: true, force: true })
  })

  it('installs from its folder, and searches, asks, streams and reports errors', async () => {
    // pip builds beside the sources.
    const sources = path.join(folder, 'sources')
    await cp(PACKAGE, sources, { recursive: true })
    const target = path.join(folder, 'installed')
    const flags = ['--quiet', '--no-build-isolation', '--no-deps', '--no-index', '--target', target]
    await run(installer ?? '', ['-m', 'pip', 'install', ...flags, sources])
    const program = path.join(folder, 'program.py')
    await writeFile(program, PROGRAM)
    const env = { ...process.env, MEMORY_URL: service.url, MEMORY_API_KEY: service.key, PYTHONPATH: target }
    const { stdout } = await run(installer ?? '', [program], { env })
    expect(JSON.parse(stdout)).toEqual({
      title: expect.stringContaining('PTO'),
      answer: 'Employees get 25 days [1].',
      streamed: 'Employees get 25 days [1].',
      code: 'unauthenticated',
    })
  })
})
