import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type Emulators, startEmulators } from '../support/connected-service.ts'
import { type ConsoleRig, expectNoFaultsInThemes, expectSettled, startConsole } from './support/console.ts'
import { chooseTab, connect, openSynced } from './support/sources.ts'

const executablePath = inject('chromium')

let rig: ConsoleRig
let emulators: Emulators

const connectAndSync = async (page: Page, provider: string): Promise<void> => {
  await openSynced(rig, page, await connect(rig, page, provider))
  await chooseTab(page, 'Permissions')
}

const permissions = (page: Page) => page.getByRole('region', { name: 'Permissions' })

describe.skipIf(executablePath === null)('permissions in a browser', () => {
  beforeAll(async () => {
    emulators = await startEmulators()
    const { state } = emulators.slack
    const members = state.users().map(({ id }) => id)
    state.addChannel({ name: 'board', isPrivate: true, isMember: true, members: members.slice(0, 2) })
    rig = await startConsole(executablePath ?? '', {
      environment: { ...emulators.environment, ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64') },
    })
  })
  afterAll(async () => {
    await rig.close()
    await emulators.close()
  })

  it('shows how a source reports permissions, how fresh they are, and who may read an item', async () => {
    const { page, close } = await rig.openTab({ bypassCSP: true })
    await rig.signIn(page, (await rig.settle()).email)
    await connectAndSync(page, 'Slack')
    await expect
      .poll(
        async () => {
          await page.reload()
          await expectSettled(page)
          return await permissions(page).innerText()
        },
        { timeout: 60_000 },
      )
      .toMatch(/Known: \d+ people and 1 group/)
    await expectNoFaultsInThemes(page, 'a source that tells')
    await chooseTab(page, 'Items')
    await page
      .getByRole('table', { name: 'Stored items' })
      .getByRole('cell')
      .getByRole('button')
      .first()
      .click()
    await page.getByText('Who may read it').waitFor()
    await page.getByText(/^People of the source \(\d+ members\)$/).waitFor()
    await close()
  })

  it('warns when a source cannot report permissions, and lets an admin choose its readers', async () => {
    const { page, close } = await rig.openTab({ bypassCSP: true })
    const { email, organization } = await rig.settle()
    await rig.grant(organization.id, 'gmail')
    await rig.signIn(page, email)
    await connectAndSync(page, 'Gmail')
    await page.getByText('Gmail does not say who may read an item').waitFor()
    await permissions(page).getByText(emulators.google.account).waitFor()
    await expectNoFaultsInThemes(page, 'a source that cannot tell')
    await page.getByRole('radio', { name: 'These people' }).check()
    await page.getByRole('textbox', { name: 'Addresses' }).fill('ada@example.com\ngrace@example.com')
    await page.getByRole('button', { name: 'Save readers' }).click()
    const save = page.getByRole('button', { name: 'Save readers' })
    await expect.poll(() => save.isDisabled(), { timeout: 60_000 }).toBe(true)
    await page.reload()
    await expectSettled(page)
    expect(await page.getByRole('textbox', { name: 'Addresses' }).inputValue()).toBe(
      'ada@example.com\ngrace@example.com',
    )
    await close()
  })

  it('enforces permissions, and manages groups and SCIM tokens', async () => {
    const { page, close } = await rig.openTab({ bypassCSP: true })
    await rig.signIn(page, (await rig.settle()).email, 'settings')
    await expectSettled(page)
    const enforcement = page.getByRole('switch', { name: 'Enforce permissions' })
    await enforcement.click()
    const question = page.getByRole('dialog', { name: 'Enforce permissions?' })
    await question.getByRole('button', { name: 'Cancel' }).click()
    await question.waitFor({ state: 'hidden' })
    expect(await enforcement.isChecked()).toBe(false)
    await enforcement.click()
    await question.getByRole('button', { name: 'Enforce permissions' }).click()
    await expect.poll(() => enforcement.isChecked(), { timeout: 60_000 }).toBe(true)
    await page.reload()
    await expectSettled(page)
    expect(await enforcement.isChecked()).toBe(true)
    await page.getByRole('link', { name: 'Members' }).click()
    await page.getByRole('button', { name: 'Create a group' }).click()
    await page.getByRole('textbox', { name: 'ID' }).fill('legal')
    await page.getByRole('textbox', { name: 'Members' }).fill('ada@example.com, grace@example.com')
    await page.getByRole('button', { name: 'Create group' }).click()
    await page.getByRole('table', { name: 'Groups' }).getByText('2 members').waitFor()
    await page.getByRole('button', { name: 'Create a SCIM token' }).click()
    await page.getByRole('textbox', { name: 'Name' }).last().fill('Okta')
    await page.getByRole('button', { name: 'Create token' }).click()
    const secret = await page.getByRole('region', { name: 'the SCIM token' }).innerText()
    expect(secret.trim()).toMatch(/^scim_/)
    await page.getByRole('button', { name: 'I have copied it' }).click()
    await page.getByRole('table', { name: 'SCIM tokens' }).getByText('Okta').waitFor()
    await expectNoFaultsInThemes(page, 'groups and the directory')
    const answer = await rig.service.call('GET', '/scim/v2/Users', { key: secret.trim() })
    expect(answer.status).toBe(200)
    await page.getByRole('button', { name: 'Revoke Okta' }).click()
    await page.getByRole('button', { name: 'Revoke token' }).click()
    await page.getByText('No SCIM tokens').waitFor()
    expect((await rig.service.call('GET', '/scim/v2/Users', { key: secret.trim() })).status).toBe(401)
    await close()
  })
})
