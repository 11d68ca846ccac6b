import type { Page } from 'playwright-core'
import type { TestOrganization } from '../../support/service.ts'
import type { ConsoleRig, TabOptions } from './console.ts'

/** Opens a page as the owner of a workspace of its own. */
export function createVisits(rig: ConsoleRig) {
  let visitors = 0
  return async (
    path: string,
    options?: TabOptions,
  ): Promise<{ page: Page; organization: TestOrganization; close(): Promise<void> }> => {
    const organization = await rig.service.organization()
    visitors += 1
    const email = `owner-${visitors}@example.com`
    await rig.join(email, 'owner', organization.id)
    const { page, close } = await rig.openTab(options)
    await rig.signIn(page, email, path)
    return { page, organization, close }
  }
}

/**
 * Connects an account with the buttons, including the provider's page. Its first sync starts, or waits for the choice
 * of channels. @returns the source's id
 */
export async function beginToConnect(rig: ConsoleRig, page: Page, provider: string): Promise<string> {
  await page.goto(`${rig.service.url}/console/sources/new`)
  await page.getByRole('button', { name: `Connect ${provider}` }).click()
  await page.getByText(`${provider} is connected`).waitFor()
  return new URL(page.url()).searchParams.get('connected') ?? ''
}

/** The same, with all channels where there is a choice, so that the first sync starts. */
export async function connect(rig: ConsoleRig, page: Page, provider: string): Promise<string> {
  const sourceId = await beginToConnect(rig, page, provider)
  if (provider !== 'Slack') return sourceId
  await page.getByRole('radio', { name: 'All channels the bot is a member of' }).check()
  await page.getByRole('button', { name: 'Save and sync' }).click()
  await page.getByRole('button', { name: 'Save and sync' }).waitFor({ state: 'detached' })
  return sourceId
}

/** Opens a tab of a source's page. */
export const chooseTab = (page: Page, name: string | RegExp): Promise<void> =>
  page.getByRole('tab', { name }).click()

/** Opens a source's history and waits until its run has ended. */
export async function openSynced(rig: ConsoleRig, page: Page, sourceId: string): Promise<void> {
  await page.goto(`${rig.service.url}/console/sources/${sourceId}?tab=history`)
  await page.getByRole('table', { name: 'Runs' }).getByText('Succeeded').first().waitFor()
}
