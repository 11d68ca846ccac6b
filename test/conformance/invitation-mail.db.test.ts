import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startIssuer, type TestIssuer } from '../support/issuer.ts'
import { type Person, signIn } from '../support/people.ts'
import { type Answer, startTestService, type TestService } from '../support/service.ts'
import { readMail, startSmtpServer, type TestSmtpServer } from '../support/smtp-server.ts'

let issuer: TestIssuer
let smtp: TestSmtpServer
let service: TestService
let owner: Person
let organizationId: string

beforeAll(async () => {
  issuer = await startIssuer()
  smtp = await startSmtpServer()
  const mail = { SMTP_URL: smtp.url, MAIL_FROM: 'Memory <memory@example.com>' }
  service = await startTestService({ environment: { ...issuer.environment, ...mail } })
  organizationId = (await service.organization()).id
  owner = await signIn(service, issuer, 'owner', { organizationId, role: 'owner' })
})
afterAll(async () => {
  await service.close()
  await smtp.close()
  await issuer.close()
})
beforeEach(() => {
  smtp.received = []
  smtp.refusals = []
})

const invite = (body: object): Promise<Answer> =>
  service.call('POST', '/v1/console/invitations', { key: owner.token, body })
const rename = (name: string): Promise<unknown> =>
  service.database.db.updateTable('organizations').set({ name }).where('id', '=', organizationId).execute()

describe('the mail of an invitation', () => {
  it('brings the link to the invited address', async () => {
    await rename('Acme')
    const { status, body } = await invite({ role: 'admin', email: 'Grace@Example.com' })
    expect({ status, isMailed: body.isMailed }).toEqual({ status: 201, isMailed: true })
    expect(smtp.received).toMatchObject([{ to: ['grace@example.com'] }])
    const { headers, text } = readMail(smtp.received[0]?.raw ?? '')
    expect(headers.get('subject')).toBe('Invitation to the workspace Acme')
    expect(text).toContain('owner (owner@example.com) invites you to join the workspace "Acme" as an admin.')
    expect(text.split(/\s+/)).toContain(body.url)
    const rows = await service.database.db.selectFrom('invitations').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(new URL(body.url).hash.slice(1))
  })

  it('is not sent for a link without an address', async () => {
    expect((await invite({ role: 'member' })).body.isMailed).toBeNull()
    expect(smtp.received).toEqual([])
  })

  it('costs the mail and not the invitation when the mail server refuses', async () => {
    smtp.refusals = ['550 No']
    const { status, body } = await invite({ role: 'member', email: 'refused@example.com' })
    expect({ status, isMailed: body.isMailed }).toEqual({ status: 201, isMailed: false })
    const guest = await issuer.token({
      subject: 'refused',
      email: 'refused@example.com',
      emailVerified: true,
    })
    const token = new URL(body.url).hash.slice(1)
    const accepted = await service.call('POST', '/v1/console/invitations/accept', {
      key: guest,
      body: { token },
    })
    expect(accepted.status).toBe(200)
  })

  it('treats names as text: they add no header, line or markup', async () => {
    await rename('Acme\r\nBcc: eve@example.com\r\n\r\n<img src=x>\u202Egnp')
    await invite({ role: 'member', email: 'ada@example.com' })
    expect(smtp.received).toMatchObject([{ to: ['ada@example.com'] }])
    const { headers, text } = readMail(smtp.received[0]?.raw ?? '')
    expect(headers.has('bcc')).toBe(false)
    expect(headers.get('content-type')).toMatch(/^text\/plain/)
    expect(text.split('\r\n')[0]).toBe(
      'owner (owner@example.com) invites you to join the workspace "Acme Bcc: eve@example.com <img src=x> gnp" as a member.',
    )
  })
})
