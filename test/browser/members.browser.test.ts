import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type ConsoleRig, expectNoFaults, expectSettled, startConsole } from './support/console.ts'

const OWNER = 'ada@example.com'
const GUEST = 'grace@example.com'
/** What the development issuer calls them. */
const [OWNER_NAME, GUEST_NAME] = ['ada', 'grace']
const executablePath = inject('chromium')

let rig: ConsoleRig

describe.skipIf(executablePath === null)('the members in a browser', () => {
  beforeAll(async () => {
    rig = await startConsole(executablePath ?? '')
    await rig.join(OWNER, 'owner')
    // So that the last owner is not the only one: the guest's own workspace is another.
    await rig.join(GUEST, 'owner', (await rig.service.organization()).id)
  })
  afterAll(() => rig.close())

  it('invites somebody by a link, who joins, gets another role, and is refused once removed', async () => {
    const { context, page } = await rig.open({ bypassCSP: true })
    await rig.signIn(page, OWNER, 'members')
    await expectSettled(page)
    await page.getByRole('button', { name: 'Invite somebody' }).click()
    await page.getByRole('button', { name: 'Make the link' }).click()
    const link = (await page.getByRole('region', { name: 'the link' }).innerText()).trim()
    expect(link).toMatch(/\/console\/invitation#inv_/)
    await expectNoFaults(page, 'the link')
    await page.getByRole('button', { name: 'I have copied it' }).click()
    await page.getByRole('table', { name: 'Open invitations' }).waitFor()

    const guest = await rig.open()
    const asked: string[] = []
    guest.page.on('request', (request) => asked.push(request.url()))
    await rig.signIn(guest.page, GUEST, link.slice(`${rig.service.url}/console/`.length))
    await guest.page.getByRole('button', { name: 'Join the workspace' }).click()
    await guest.page.getByRole('navigation', { name: 'Pages' }).waitFor()
    expect(asked.filter((address) => address.replace(/#.*$/, '').includes('inv_'))).toEqual([])
    expect(new URL(guest.page.url()).hash).toBe('')
    await guest.page.goto(`${rig.service.url}/console/members`)
    await guest.page.getByRole('heading', { name: 'For admins only' }).waitFor()

    await page.reload()
    await page.getByRole('combobox', { name: `Role of ${GUEST_NAME}` }).click()
    await page.getByRole('option', { name: 'Admin' }).click()
    await expect
      .poll(() => page.getByRole('combobox', { name: `Role of ${GUEST_NAME}` }).inputValue(), {
        timeout: 60_000,
      })
      .toBe('Admin')
    await guest.page.reload()
    await guest.page.getByRole('heading', { name: 'Members' }).waitFor()

    await page.getByRole('button', { name: `Actions for ${GUEST_NAME}` }).click()
    await page.getByRole('menuitem', { name: 'Remove from the workspace' }).click()
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByText(GUEST).first().waitFor({ state: 'detached' })
    const refused = guest.page.waitForResponse((response) =>
      response.url().includes('/v1/console/audit-events'),
    )
    await guest.page.getByRole('link', { name: 'Audit' }).click()
    expect((await refused).status()).toBe(404)
    await guest.context.close()
    await context.close()
  })

  it('says why the last owner can neither leave nor step down', async () => {
    const { context, page } = await rig.open()
    await rig.signIn(page, OWNER, 'members')
    await expectSettled(page)
    await page.getByRole('cell', { name: /The last owner stays/ }).waitFor()
    await page.getByRole('button', { name: `Actions for ${OWNER_NAME}` }).click()
    const leave = page.getByRole('menuitem', { name: 'Leave the workspace' })
    expect(await leave.isDisabled()).toBe(true)
    expect(await leave.innerText()).toContain('The last owner stays')
    await context.close()
  })

  it('withdraws an invitation, whose link then serves nobody', async () => {
    const { context, page } = await rig.open()
    await rig.signIn(page, OWNER, 'members')
    await expectSettled(page)
    await page.getByRole('button', { name: 'Invite somebody' }).click()
    await page.getByLabel('Only for this address').fill('mel@example.com')
    await page.getByRole('button', { name: 'Make the link' }).click()
    const link = (await page.getByRole('region', { name: 'the link' }).innerText()).trim()
    await page.getByRole('button', { name: 'I have copied it' }).click()
    await page.getByRole('button', { name: 'Withdraw the invitation for mel@example.com' }).click()
    await page.getByRole('button', { name: 'Withdraw invitation' }).click()
    await page.getByText('Nobody is invited').waitFor()

    const guest = await rig.open()
    await rig.signIn(guest.page, 'mel@example.com', link.slice(`${rig.service.url}/console/`.length))
    await guest.page.getByRole('button', { name: 'Join the workspace' }).click()
    await guest.page.getByRole('alert').waitFor()
    await guest.context.close()
    await context.close()
  })

  it('renames the workspace, for everybody and at once', async () => {
    const { context, page } = await rig.open()
    await rig.signIn(page, OWNER, 'members')
    await expectSettled(page)
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Analytical Engines')
    await page.getByRole('button', { name: 'Rename' }).click()
    await page.getByText('It is renamed.').waitFor()
    await page.getByRole('button', { name: /^Workspace Analytical Engines/ }).waitFor()
    await context.close()
  })
})
