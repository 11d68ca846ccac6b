import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startReceiver, type WebhookReceiver } from '../../../test/support/webhook-receiver.ts'
import { checkUrl } from '../check-url.ts'
import { createSend, type SendDependencies } from './send.ts'

let receiver: WebhookReceiver
const never = new AbortController().signal

beforeEach(async () => {
  receiver = await startReceiver()
})
afterEach(() => receiver.close())

const loopback = async () => [{ address: '127.0.0.1', family: 4 }]

async function post(url: string, options: Partial<SendDependencies> = {}, signal = never) {
  const send = createSend({ resolve: loopback, allowsPrivate: true, ...options })
  return await send({ url, headers: { 'content-type': 'application/json' }, body: '{"a":"ü"}' }, signal)
}

describe('without private addresses', () => {
  const guarded = { allowsPrivate: false }

  it('no request goes to a name that resolves to one, in any notation', async () => {
    for (const host of ['hooks.example.com', 'localhost', 'localhost.', '2130706433.example.com'])
      expect(await post(`https://${host}:${receiver.port}/`, guarded)).toEqual({
        fault: 'address_not_allowed',
      })
    expect(receiver.received).toEqual([])
  })

  it('no request goes to such an address itself, in any notation', async () => {
    for (const host of ['127.0.0.1', '127.1', '0x7f.1', '2130706433', '[::1]', '[::ffff:127.0.0.1]', '0'])
      expect(await post(`https://${host}:${receiver.port}/`, guarded), host).toEqual({
        fault: 'address_not_allowed',
      })
    expect(receiver.received).toEqual([])
  })

  it('a name whose address changes before the connection is resolved once, and refused', async () => {
    let asked = 0
    const rebinding = async () => {
      asked += 1
      return [{ address: asked === 1 ? '127.0.0.1' : '8.8.8.8', family: 4 }]
    }
    const url = `https://hooks.example.com:${receiver.port}/`
    expect(await post(url, { ...guarded, resolve: rebinding })).toEqual({ fault: 'address_not_allowed' })
    expect(asked).toBe(1)
    expect(receiver.received).toEqual([])
  })

  it('nothing is sent without https, even to a webhook created when http was allowed', async () => {
    expect(await post('http://8.8.8.8/', guarded)).toEqual({ fault: 'address_not_allowed' })
  })
})

describe('a request', () => {
  it('goes to the resolved address, with the host name and unchanged body', async () => {
    const result = await post(`http://hooks.example.com:${receiver.port}/in?a=1`)
    expect(result).toEqual({ status: 204 })
    expect(receiver.received).toMatchObject([
      { body: '{"a":"ü"}', headers: { host: `hooks.example.com:${receiver.port}`, 'content-length': '10' } },
    ])
  })

  it('follows no redirect', async () => {
    const redirecting = await startReceiver((response) =>
      response.writeHead(307, { location: `${receiver.url}/elsewhere` }).end(),
    )
    try {
      expect(await post(redirecting.url)).toEqual({ status: 307 })
      expect(receiver.received).toEqual([])
    } finally {
      await redirecting.close()
    }
  })

  it('uses no proxy from the environment', async () => {
    process.env.HTTP_PROXY = 'http://127.0.0.1:9'
    process.env.NODE_USE_ENV_PROXY = '1'
    try {
      expect(await post(receiver.url)).toEqual({ status: 204 })
    } finally {
      delete process.env.HTTP_PROXY
      delete process.env.NODE_USE_ENV_PROXY
    }
  })

  it('returns the status of an endless answer and receives little of it', async () => {
    let written = 0
    const endless = await startReceiver((response) => {
      response.writeHead(200)
      const chunk = Buffer.alloc(64 * 1024)
      const write = (): void => {
        if (response.destroyed) return
        written += chunk.length
        response.write(chunk, () => setImmediate(write))
      }
      write()
    })
    try {
      expect(await post(endless.url)).toEqual({ status: 200 })
      expect(written).toBeLessThan(100 * 1024 * 1024)
    } finally {
      await endless.close()
    }
  })

  it('ends at its timeout, before and during the answer', async () => {
    const silent = await startReceiver(() => {})
    const halfway = await startReceiver((response) => void response.writeHead(200).write('{'))
    try {
      expect(await post(silent.url, { timeoutMs: 50 })).toEqual({ fault: 'timeout' })
      expect(await post(halfway.url, { timeoutMs: 50 })).toEqual({ status: 200 })
    } finally {
      await silent.close()
      await halfway.close()
    }
  })

  it("ends with its signal's reason", async () => {
    const silent = await startReceiver(() => stop.abort(new Error('stopping')))
    const stop = new AbortController()
    try {
      await expect(post(silent.url, {}, stop.signal)).rejects.toThrow('stopping')
    } finally {
      await silent.close()
    }
  })

  it('distinguishes an unknown name, a closed port and a server without TLS', async () => {
    const unknown = async () => {
      throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' })
    }
    expect(await post('http://nobody.example.com/', { resolve: unknown })).toEqual({
      fault: 'name_not_found',
    })
    const closed = createServer()
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve))
    const { port } = closed.address() as AddressInfo
    await new Promise((resolve) => closed.close(resolve))
    expect(await post(`http://127.0.0.1:${port}/`)).toEqual({ fault: 'connection_failed' })
    expect(await post(`https://hooks.example.com:${receiver.port}/`)).toEqual({ fault: 'tls_failed' })
  })
})

describe("a webhook's URL", () => {
  it.each([
    'http://hooks.example.com/',
    'ftp://hooks.example.com/',
    'file:///etc/passwd',
    'hooks.example.com',
    '',
    'https://user:secret@hooks.example.com/',
    'https://user@hooks.example.com/',
    'https://hooks.example.com/#part',
    'https://127.0.0.1/',
    'https://0x7f.1/',
    'https://[::1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://169.254.169.254/latest/meta-data/',
  ])('is refused when it is %s', (url) => {
    expect(() => checkUrl(url, false)).toThrow(/^url must/)
  })

  it('may be private and http where allowed, but never contain credentials', () => {
    expect(() => checkUrl('http://127.0.0.1:8080/', true)).not.toThrow()
    expect(() => checkUrl('https://hooks.example.com/in?x=1', false)).not.toThrow()
    expect(() => checkUrl('http://user@127.0.0.1/', true)).toThrow(/^url must not contain/)
    expect(() => checkUrl('ftp://127.0.0.1/', true)).toThrow(/^url must begin/)
  })
})
