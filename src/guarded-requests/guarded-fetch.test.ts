import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createSocketServer } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { AddressNotAllowed, isPublicAddress, systemResolve } from './addresses.ts'
import { createGuardedFetch } from './guarded-fetch.ts'
import { createOpenRequest } from './guarded-request.ts'

async function serve() {
  const seen: string[] = []
  const server = createServer((request, response) => {
    seen.push(request.url ?? '')
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      if (request.url === '/none') response.writeHead(204).end()
      else if (request.url === '/moved') response.writeHead(302, { location: '/there' }).end()
      else
        response
          .writeHead(200, { 'x-kind': 'echo' })
          .end(`${request.method} ${String(request.headers['x-a'])} ${Buffer.concat(parts).toString()}`)
    })
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen }
}

it('requests like fetch, without following redirects', async () => {
  const { url, seen } = await serve()
  const guarded = createGuardedFetch(createOpenRequest(systemResolve, () => true))
  const answer = await guarded(`${url}/echo`, { method: 'POST', body: 'text', headers: { 'x-a': 'b' } })
  expect(answer.headers.get('x-kind')).toBe('echo')
  expect(await answer.text()).toBe('POST b text')
  expect(await (await guarded(`${url}/none`)).text()).toBe('')
  const moved = await guarded(`${url}/moved`)
  expect([moved.status, moved.headers.get('location')]).toEqual([302, '/there'])
  expect(seen).not.toContain('/there')
  await expect(guarded(url, { signal: AbortSignal.abort() })).rejects.toThrow(/abort/i)
})

it('makes no request to an address that is not public', async () => {
  const { url, seen } = await serve()
  const guarded = createGuardedFetch(createOpenRequest(systemResolve, isPublicAddress))
  await expect(guarded(url)).rejects.toBeInstanceOf(AddressNotAllowed)
  await expect(guarded(url.replace('127.0.0.1', 'localhost'))).rejects.toBeInstanceOf(AddressNotAllowed)
  expect(seen).toEqual([])
})

async function serveBytes(bytes: string): Promise<URL> {
  const server = createSocketServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.write(bytes))
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
}

it.each([
  [
    'switches protocols',
    'HTTP/1.1 101 X\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n',
    'closed before a response',
  ],
  ['sends 1xx responses without end', 'HTTP/1.1 102 X\r\n\r\n'.repeat(200), 'too many 1xx responses'],
])('fails when a server %s', async (_kind, bytes, message) => {
  const open = createOpenRequest(systemResolve, () => true)
  await expect(open(await serveBytes(bytes), {})).rejects.toThrow(message)
})
