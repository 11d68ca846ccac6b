import type { Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import type { TestOrganization } from '../support/service.ts'
import { type ConsoleRig, expectNoFaults, expectSettled, startConsole } from './support/console.ts'

const executablePath = inject('chromium')

let rig: ConsoleRig

describe.skipIf(executablePath === null)('the members in a browser', () => {
  beforeAll(async () => {
    rig = await startConsole(executablePath ?? '')
  })
  afterAll(() => rig.close())

  it('invites a user by a link, who joins, gets another role, and is refused once removed', async () => {
    const { page, close } = await rig.openTab({ bypassCSP: true })
    await rig.signIn(page, (await rig.settle()).email, 'members')
    await expectSettled(page)
    await page.getByRole('button', { name: 'Invite a member' }).click()
    // A double click creates one.
    await page.getByRole('button', { name: 'Create invitation' }).dblclick()
    const link = (await page.getByRole('region', { name: 'the link' }).innerText()).trim()
    expect(link).toMatch(/\/console\/invitation#inv_/)
    await expectNoFaults(page, 'the link')
    await page.getByRole('button', { name: 'I have copied it' }).click()
    const invitations = page.getByRole('table', { name: 'Open invitations' })
    await invitations.waitFor()
    expect(await invitations.getByRole('button', { name: /^Revoke/ }).count()).toBe(1)

    // A user who already has another workspace.
    const person = await rig.settle()
    const guest = await rig.open()
    const asked: string[] = []
    guest.page.on('request', (request) => asked.push(request.url()))
    await rig.signInByButton(guest.page, person.email, link.slice(`${rig.service.url}/console/`.length))
    await guest.page.getByText(/invites you to join Org [0-9a-f]+ as a member\./).waitFor()
    await guest.page.getByRole('button', { name: 'Join the workspace' }).click()
    await guest.page.getByRole('navigation', { name: 'Pages' }).waitFor()
    expect(asked.filter((address) => address.replace(/#.*$/, '').includes('inv_'))).toEqual([])
    expect(new URL(guest.page.url()).hash).toBe('')
    await guest.page.goto(`${rig.service.url}/console/members`)
    await guest.page.getByRole('heading', { name: 'For admins only' }).waitFor()

    await page.reload()
    const role = page.getByRole('combobox', { name: `Role of ${person.name}` })
    const changes = '**/v1/console/members/*'
    const held = Promise.withResolvers<Route>()
    await page.route(changes, (route) => held.resolve(route))
    await role.click()
    await page.getByRole('option', { name: 'Admin' }).click()
    // The choice shows at once, before the service has answered.
    await expect.poll(() => role.inputValue(), { timeout: 60_000 }).toBe('Admin')
    const saved = page.waitForResponse(changes)
    await (await held.promise).continue()
    await saved
    await page.unroute(changes)
    await guest.page.reload()
    await guest.page.getByRole('heading', { name: 'Members' }).waitFor()

    await page.getByRole('button', { name: `Actions for ${person.name}` }).click()
    await page.getByRole('menuitem', { name: 'Remove from the workspace' }).click()
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByText(person.email).first().waitFor({ state: 'detached' })
    const refused = guest.page.waitForResponse((response) =>
      response.url().includes('/v1/console/audit-events'),
    )
    await guest.page.getByRole('link', { name: 'Audit' }).click()
    expect((await refused).status()).toBe(404)
    await guest.context.close()
    await close()
  })

  it('says what to do when another person than the invited one is signed in', async () => {
    const { page, close } = await rig.openTab()
    const { email } = await rig.settle()
    await rig.signIn(page, email, 'members')
    await expectSettled(page)
    await page.getByRole('button', { name: 'Invite a member' }).click()
    await page.getByLabel('Email address').fill('mel@example.com')
    await page.getByRole('button', { name: 'Create invitation' }).click()
    const link = (await page.getByRole('region', { name: 'the link' }).innerText()).trim()
    const person = await rig.settle()
    const guest = await rig.open({ bypassCSP: true })
    await rig.signInByButton(guest.page, person.email, link.slice(`${rig.service.url}/console/`.length))
    await guest.page.getByText('This invitation is for mel@example.com').waitFor()
    await guest.page.getByText(`You are signed in as ${person.email}`).waitFor()
    expect(await guest.page.getByRole('button', { name: 'Join the workspace' }).count()).toBe(0)
    await expectNoFaults(guest.page, 'an invitation for another')
    await guest.page.getByRole('button', { name: 'Sign out' }).click()
    await guest.page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await guest.context.close()
    await close()
  })

  it('says why the last owner can neither leave nor step down', async () => {
    const { page, close } = await rig.openTab()
    const { email, name } = await rig.settle()
    await rig.signIn(page, email, 'members')
    await expectSettled(page)
    await page.getByRole('cell', { name: /The last owner cannot leave/ }).waitFor()
    await page.getByRole('button', { name: `Actions for ${name}` }).click()
    const leave = page.getByRole('menuitem', { name: 'Leave the workspace' })
    expect(await leave.isDisabled()).toBe(true)
    expect(await leave.innerText()).toContain('The last owner cannot leave')
    await close()
  })

  it('revokes an invitation, whose link then no longer works', async () => {
    const { page, close } = await rig.openTab()
    const { email, name } = await rig.settle()
    const invited = `mel-of-${name}@example.com`
    await rig.signIn(page, email, 'members')
    await expectSettled(page)
    await page.getByRole('button', { name: 'Invite a member' }).click()
    await page.getByLabel('Email address').fill(invited)
    await page.getByRole('button', { name: 'Create invitation' }).click()
    const link = (await page.getByRole('region', { name: 'the link' }).innerText()).trim()
    await page.getByRole('button', { name: 'I have copied it' }).click()
    await page.getByRole('button', { name: `Revoke the invitation for ${invited}` }).click()
    await page.getByRole('button', { name: 'Revoke invitation' }).click()
    await page.getByText('No open invitations').waitFor()

    const guest = await rig.open()
    await rig.signInByButton(guest.page, invited, link.slice(`${rig.service.url}/console/`.length))
    await guest.page.getByRole('alert').getByText('no longer valid').waitFor()
    expect(await guest.page.getByRole('button', { name: 'Join the workspace' }).count()).toBe(0)
    await guest.context.close()
    await close()
  })

  it('lets a member leave after a warning, and opens their other workspace', async () => {
    const { organization, email } = await rig.settle('member')
    const other = await rig.service.organization()
    await rig.join(email, 'member', other.id)
    await rename(organization, 'Analytical Engines')
    await rename(other, 'Difference Engines')
    const { page, close } = await rig.openTab({ bypassCSP: true })
    await rig.signIn(page, email, 'ask')
    await chooseOfWorkspace(page, 'Analytical Engines')
    await page.getByRole('button', { name: /^Workspace Analytical Engines/ }).waitFor()
    await askToLeave(page)
    const dialog = page.getByRole('dialog', { name: 'Leave Analytical Engines?' })
    await dialog.getByText('can return only by invitation').waitFor()
    await expectNoFaults(page, 'leaving')
    await dialog.getByRole('button', { name: 'Leave', exact: true }).click()
    await page.getByRole('button', { name: /^Workspace Difference Engines/ }).waitFor()
    await page.getByRole('heading', { name: 'Difference Engines', level: 1 }).waitFor()
    // No question appears about the workspace that is open now.
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    expect(await rolesIn(organization)).toEqual(['owner'])
    expect(await rolesIn(other)).toEqual(['member'])
    await page.getByRole('button', { name: /^Workspace / }).click()
    expect(await page.getByRole('menuitem', { name: 'Analytical Engines' }).count()).toBe(0)
    await close()
  })

  it('sends a user who left their only workspace to the page that creates one', async () => {
    const { organization, email } = await rig.settle('member')
    const { page, close } = await rig.openTab()
    await rig.signIn(page, email)
    await askToLeave(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Leave', exact: true }).click()
    await page.getByRole('heading', { name: 'Create your workspace' }).waitFor()
    expect(await rolesIn(organization)).toEqual(['owner'])
    await close()
  })

  it("does not let the last owner leave, with the service's message", async () => {
    const { organization, email } = await rig.settle()
    const { page, close } = await rig.openTab()
    await rig.signIn(page, email)
    await askToLeave(page)
    const dialog = page.getByRole('dialog', { name: /^Leave / })
    await dialog.getByRole('button', { name: 'Leave', exact: true }).click()
    await dialog.getByRole('alert').getByText('A workspace needs at least one owner').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await rolesIn(organization)).toEqual(['owner'])
    await close()
  })
})

/** Asks to leave the open workspace, in its settings. */
async function askToLeave(page: Page): Promise<void> {
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('button', { name: 'Leave', exact: true }).click()
}

/** Chooses from the menu of the open workspace. */
async function chooseOfWorkspace(page: Page, item: string): Promise<void> {
  await page.getByRole('button', { name: /^Workspace / }).click()
  await page.getByRole('menuitem', { name: item }).click()
}

async function rename({ id }: TestOrganization, name: string): Promise<void> {
  await rig.service.database.db.updateTable('organizations').set({ name }).where('id', '=', id).execute()
}

async function rolesIn({ id }: TestOrganization): Promise<string[]> {
  const rows = await rig.service.database.db
    .selectFrom('memberships')
    .select('role')
    .where('organization_id', '=', id)
    .execute()
  return rows.map(({ role }) => role)
}
