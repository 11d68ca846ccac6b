import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { CLIENT, type ConfidentialIssuer, startConfidentialIssuer } from '../support/confidential-issuer.ts'
import { type ConsoleRig, startConsole } from './support/console.ts'

const executablePath = inject('chromium')

let issuer: ConfidentialIssuer
let rig: ConsoleRig

describe.skipIf(executablePath === null)('signing in with a confidential client', () => {
  beforeAll(async () => {
    issuer = await startConfidentialIssuer()
    rig = await startConsole(executablePath ?? '', { environment: issuer.environment })
  })
  afterAll(async () => {
    await rig?.close()
    await issuer?.close()
  })

  it('signs users in without showing the secret to the browser, or the page to the issuer', async () => {
    const { context, page } = await rig.open()
    const complaints: string[] = []
    const bodies: Promise<string>[] = []
    const requested: string[] = []
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text())
    })
    page.on('request', (request) =>
      requested.push(`${request.method()} ${request.url()} ${request.postData()}`),
    )
    page.on('response', (response) => bodies.push(response.text().catch(() => '')))
    await page.goto(`${rig.service.url}/console/`)
    await page.getByRole('button', { name: /^(Sign in|Continue)/ }).click()
    await page.locator('main h1').filter({ hasNotText: 'Sign in' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/console/')
    // The browser navigates to the issuer, and fetches nothing from it.
    expect(requested.filter((line) => line.includes(`${issuer.url}/`))).toEqual([
      expect.stringContaining(`GET ${issuer.url}/authorize?`),
    ])
    expect(issuer.requests).toContain('POST /token')
    const seen = [...requested, ...(await Promise.all(bodies))].join('\n')
    expect(seen).toContain('/console/token')
    expect(seen).not.toContain(CLIENT.secret)
    const me = await page.evaluate(() => Object.values({ ...sessionStorage }).join(''))
    expect(me).toContain('ada@example.com')
    expect(complaints).toEqual([])
    await context.close()
  })
})
