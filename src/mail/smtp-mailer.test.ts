import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readMail, startSmtpServer, type TestSmtpServer } from '../../test/support/smtp-server.ts'
import { createSmtpMailer, transportOptions } from './smtp-mailer.ts'

const FROM = 'Memory <memory@example.com>'
const MAIL = {
  to: 'grace@example.com',
  subject: 'Invitation',
  text: 'Open https://memory.example.com/#inv_1\n',
}
let server: TestSmtpServer

beforeEach(async () => {
  server = await startSmtpServer()
})
afterEach(() => server.close())

const mailer = () => createSmtpMailer({ url: server.url, from: FROM })

describe('the mailer', () => {
  it('sends plain text to one recipient, marked as automatic', async () => {
    await mailer().send(MAIL)
    expect(server.received).toMatchObject([{ from: 'memory@example.com', to: ['grace@example.com'] }])
    const { headers, text } = readMail(server.received[0]?.raw ?? '')
    expect(headers.get('subject')).toBe('Invitation')
    expect(headers.get('from')).toBe(FROM)
    expect(headers.get('auto-submitted')).toBe('auto-generated')
    expect(headers.get('content-type')).toMatch(/^text\/plain/)
    expect(text.trim()).toBe(MAIL.text.trim())
  })

  it('signs in with the credentials of the URL, decoded', async () => {
    const url = `smtp://me%40example.com:p%3Aw@127.0.0.1:${server.port}`
    await createSmtpMailer({ url, from: FROM }).send(MAIL)
    expect(server.logins.map((login) => Buffer.from(login, 'base64').toString())).toEqual([
      '\0me@example.com\0p:w',
    ])
  })

  it('adds no header and no recipient for line breaks and commas', async () => {
    await mailer().send({ ...MAIL, subject: 'A\r\nBcc: eve@example.com\r\n\r\n<script>' })
    const { headers } = readMail(server.received[0]?.raw ?? '')
    expect(headers.has('bcc')).toBe(false)
    expect(headers.get('subject')).toContain('Bcc: eve@example.com')
    await mailer()
      .send({ ...MAIL, to: 'grace@example.com,eve@example.com' })
      .catch(() => undefined)
    expect(server.received.flatMap(({ to }) => to)).not.toContain('eve@example.com')
  })

  it('retries a temporary refusal', async () => {
    server.refusals = ['451 Try later']
    await mailer().send(MAIL)
    expect(server.received).toHaveLength(1)
    expect(server.connections).toBe(2)
  })

  it('reports a final refusal at once, without the words of the server', async () => {
    server.refusals = ['550 <grace@example.com> is unknown']
    await expect(mailer().send(MAIL)).rejects.toMatchObject({
      name: 'MailError',
      code: '550',
      message: expect.not.stringContaining('grace'),
    })
    expect(server.connections).toBe(1)
  })

  it('gives up on a server that is down', async () => {
    const { url } = server
    await server.close()
    await expect(createSmtpMailer({ url, from: FROM }).send(MAIL)).rejects.toMatchObject({ code: 'ESOCKET' })
    server = await startSmtpServer()
  })

  it('gives up on a server that never answers', async () => {
    server.isSilent = true
    const hasty = createSmtpMailer({ url: server.url, from: FROM, totalMs: 200 })
    await expect(hasty.send(MAIL)).rejects.toMatchObject({ name: 'MailError' })
  })
})

describe('the options of an SMTP URL', () => {
  it.each([
    ['smtp://mail.example.com', { host: 'mail.example.com', port: 587, secure: false, requireTLS: false }],
    ['smtps://mail.example.com', { port: 465, secure: true, requireTLS: false }],
    ['smtp://u:p@mail.example.com:25', { port: 25, secure: false, requireTLS: true }],
    ['smtp://u:p@127.0.0.1', { requireTLS: false }],
    ['smtp://[::1]:2525', { host: '::1', port: 2525 }],
  ])('%s', (url, expected) => {
    expect(transportOptions(url)).toMatchObject(expected)
  })
})
