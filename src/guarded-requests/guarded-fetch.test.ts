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

it('fails when a server switches protocols instead of responding', async () => {
  const server = createSocketServer((socket) => {
    socket.once('data', () =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n'),
    )
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const open = createOpenRequest(systemResolve, () => true)
  const target = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  await expect(open(target, {})).rejects.toThrow('closed before a response')
})
