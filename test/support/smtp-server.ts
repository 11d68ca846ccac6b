import { createServer, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'

export interface ReceivedMail {
  from: string
  to: string[]
  /** The mail as sent: headers, an empty line, the body. */
  raw: string
}

export interface TestSmtpServer {
  url: string
  port: number
  received: ReceivedMail[]
  /** The base64 of each `AUTH PLAIN`. */
  logins: string[]
  /** Replies to the next recipients; a recipient beyond them is accepted. */
  refusals: string[]
  /** Accepts connections and never greets. */
  isSilent: boolean
  connections: number
  close(): Promise<void>
}

/** A mail server on loopback that keeps what it accepts. It offers `AUTH PLAIN` and no TLS. */
export async function startSmtpServer(): Promise<TestSmtpServer> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy())
    serve(socket, standing)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const standing: TestSmtpServer = {
    url: `smtp://127.0.0.1:${port}`,
    port,
    received: [],
    logins: [],
    refusals: [],
    isSilent: false,
    connections: 0,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => void server.close(resolve))
    },
  }
  return standing
}

function serve(socket: Socket, standing: TestSmtpServer): void {
  standing.connections++
  if (standing.isSilent) return
  const say = (line: string): void => void socket.write(`${line}\r\n`)
  let mail: ReceivedMail = { from: '', to: [], raw: '' }
  let buffered = ''
  let isData = false
  const onLine = (line: string): void => {
    const [, verb = '', rest = ''] = /^(\w+)\s?(.*)$/.exec(line) ?? []
    switch (verb.toUpperCase()) {
      case 'EHLO':
        say('250-loopback')
        return say('250 AUTH PLAIN')
      case 'AUTH':
        standing.logins.push(rest.replace(/^PLAIN /, ''))
        return say('235 Accepted')
      case 'MAIL':
        mail = { from: addressIn(rest), to: [], raw: '' }
        return say('250 OK')
      case 'RCPT': {
        const refusal = standing.refusals.shift()
        if (refusal !== undefined) return say(refusal)
        mail.to.push(addressIn(rest))
        return say('250 OK')
      }
      case 'DATA':
        isData = true
        return say('354 Go on')
      case 'QUIT':
        say('221 Bye')
        return void socket.end()
      default:
        return say('250 OK')
    }
  }
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    buffered += chunk
    for (;;) {
      const end = isData ? buffered.indexOf('\r\n.\r\n') : buffered.indexOf('\r\n')
      if (end === -1) return
      const taken = buffered.slice(0, end)
      buffered = buffered.slice(end + (isData ? 5 : 2))
      if (!isData) {
        onLine(taken)
        continue
      }
      isData = false
      standing.received.push({ ...mail, raw: taken })
      say('250 Queued')
    }
  })
  say('220 loopback')
}

function addressIn(argument: string): string {
  return /<([^>]*)>/.exec(argument)?.[1] ?? ''
}

/** The headers of a mail by lowercased name, unfolded, and its decoded body. */
export function readMail(raw: string): { headers: Map<string, string>; text: string } {
  const at = raw.indexOf('\r\n\r\n')
  const lines = raw
    .slice(0, at)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
  const body = raw.slice(at + 4)
  return { headers, text: decodeBody(body, headers.get('content-transfer-encoding')) }
}

function decodeBody(body: string, encoding: string | undefined): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8')
  if (encoding !== 'quoted-printable') return body
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}
