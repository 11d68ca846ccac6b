import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { followRedirectsBelow, refuseRedirects } from './refuse-redirects.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

it('refuses a redirect, and names only its origin in the error', async () => {
  let reached = 0
  const elsewhere = await serve((_request, response) => {
    reached += 1
    response.end('{}')
  })
  for (const status of [301, 302, 303, 307, 308]) {
    const url = await serve((_request, response) =>
      response.writeHead(status, { Location: `${elsewhere}/?token=secret` }).end(),
    )
    const asked = refuseRedirects(fetch)(url, { method: 'POST', body: 'x', headers: { 'x-api-key': 'k' } })
    await expect(asked).rejects.toThrow(`(HTTP ${status}) to ${elsewhere}, which is not followed`)
    await expect(asked).rejects.not.toThrow('secret')
  }
  expect(reached).toBe(0)
  expect((await refuseRedirects(fetch)(elsewhere)).status).toBe(200)
})

it('follows a redirect of a GET request below the base only, and not forever', async () => {
  const elsewhere = await serve((_request, response) => response.end('elsewhere'))
  const url = await serve((request, response) => {
    const location = { '/api/old': '/api/new', '/api/out': '/other', '/api/far': elsewhere }[
      request.url ?? ''
    ]
    const target = request.url === '/api/loop' ? '/api/loop' : location
    if (target === undefined) response.end(request.url)
    else response.writeHead(301, { location: target }).end()
  })
  const get = followRedirectsBelow(`${url}/api`, fetch)
  expect(await (await get(`${url}/api/old`)).text()).toBe('/api/new')
  for (const path of ['out', 'far', 'loop'])
    await expect(get(`${url}/api/${path}`)).rejects.toThrow('which is not followed')
  await expect(get(`${url}/api/old`, { method: 'POST', body: 'x' })).rejects.toThrow('which is not followed')
})
