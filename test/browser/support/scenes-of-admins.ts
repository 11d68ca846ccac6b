import { QUESTION } from './company.ts'
import { expectSettled } from './console.ts'
import { dialog, type Scene } from './scene.ts'

/** Home, and the pages that admins run the workspace with. */
export const RUNNING: readonly Scene[] = [
  { name: 'home', who: 'owner', path: '' },
  {
    name: 'switcher',
    who: 'owner',
    path: '',
    widths: [1280, 1920],
    async act({ page }) {
      await page.setViewportSize({ width: 1280, height: 900 })
      await page.getByRole('button', { name: /^Workspace/ }).click()
    },
  },
  {
    name: 'navigation',
    who: 'owner',
    path: '',
    widths: [375, 768],
    async act({ page }) {
      await page.setViewportSize({ width: 375, height: 900 })
      await page.getByRole('button', { name: 'Navigation' }).click()
    },
  },
  { name: 'developers', who: 'owner', path: 'developers' },
  { name: 'developers-requests', who: 'owner', path: 'developers?tab=requests' },
  {
    name: 'key',
    who: 'owner',
    path: 'developers',
    async act({ page }) {
      await page.getByRole('link', { name: 'Support bot' }).last().click()
      await page.getByRole('table', { name: 'Requests' }).waitFor()
    },
  },
  {
    name: 'create-key',
    who: 'owner',
    path: 'developers',
    async act({ page }) {
      await page.getByRole('button', { name: 'Create a key' }).first().click()
      await page.getByRole('radio', { name: 'Custom' }).check()
      await page.getByRole('switch', { name: 'All providers' }).press('Space')
    },
  },
  {
    name: 'new-key',
    who: 'owner',
    path: 'developers',
    async act({ page }) {
      await page.getByRole('button', { name: 'Create a key' }).first().click()
      await page.getByLabel('Name').fill('Support bot')
      await page.getByRole('button', { name: 'Create key', exact: true }).click()
      await page.getByRole('region', { name: 'the secret' }).waitFor()
      await page.getByRole('button', { name: 'Test this key' }).click()
      await page.getByText(/^\d passages? from/).waitFor()
    },
  },
  {
    name: 'test-key',
    who: 'owner',
    path: 'developers',
    async act({ page }) {
      await page.getByRole('button', { name: 'Test a key' }).click()
      await page.getByLabel('Secret').fill(`svc_${'x'.repeat(40)}`)
      await page.getByRole('button', { name: 'Test this key' }).click()
      await page.getByText('The search was refused').waitFor()
    },
  },
  {
    name: 'revoke-key',
    who: 'owner',
    path: 'developers',
    async act({ page }) {
      await page
        .getByRole('button', { name: /^Revoke/ })
        .first()
        .click()
      await dialog(page).waitFor()
    },
  },
  {
    name: 'webhook-new',
    who: 'owner',
    path: 'developers',
    async act({ page }) {
      await page.getByRole('button', { name: 'Add a webhook' }).click()
      await dialog(page).getByLabel('Address').waitFor()
    },
  },
  {
    name: 'webhook-deliveries',
    who: 'owner',
    path: 'developers',
    async act({ page }) {
      await page.getByRole('button', { name: /^See deliveries/ }).click()
      await dialog(page).getByText('webhook.test').first().waitFor()
    },
  },
  {
    name: 'evaluation-questions',
    who: 'owner',
    path: 'evaluation?tab=questions',
    async act({ page }) {
      const buffer = Buffer.from(`question,page,fact\n"${QUESTION}",Vacation,\nWho owns Kestrel?,,Kestrel\n`)
      await page
        .getByLabel('CSV file with questions')
        .setInputFiles({ name: 'questions.csv', mimeType: 'text/csv', buffer })
      await page.getByText('2 questions added').or(page.getByText('2 replaced')).first().waitFor()
      await page.keyboard.press('Escape')
    },
  },
  {
    name: 'evaluation-run',
    who: 'owner',
    path: 'evaluation',
    async act({ page }) {
      await page.getByRole('button', { name: 'Start a run' }).click()
      await page
        .getByRole('button', { name: /^See answer/ })
        .nth(1)
        .waitFor()
    },
  },
  {
    name: 'evaluation-answer',
    who: 'owner',
    path: 'evaluation',
    async act({ page }) {
      await page
        .getByRole('button', { name: /^See answer/ })
        .first()
        .click()
      await dialog(page).waitFor()
      await expectSettled(page)
    },
  },
  {
    name: 'evaluation-question',
    who: 'owner',
    path: 'evaluation?tab=questions',
    async act({ page }) {
      await page.getByRole('button', { name: 'Add a question' }).click()
      await dialog(page).getByRole('combobox', { name: 'Page' }).fill('re')
      await page.getByRole('option').first().waitFor()
    },
  },
  {
    name: 'evaluation-unknown-page',
    who: 'owner',
    path: 'evaluation?tab=questions',
    async act({ page }) {
      await page.getByRole('button', { name: 'Add a question' }).click()
      await dialog(page).getByRole('combobox', { name: 'Page' }).fill('Vacations of 2019')
      await dialog(page).getByText('No item that you may read').waitFor()
    },
  },
  {
    name: 'key-examples',
    who: 'owner',
    path: 'developers',
    async act({ page }) {
      await page.getByRole('button', { name: /^Use / }).first().click()
      await dialog(page).getByRole('tab').first().waitFor()
    },
  },
  { name: 'audit', who: 'owner', path: 'audit' },
  {
    name: 'audit-burst',
    who: 'owner',
    path: 'audit',
    async act({ page }) {
      const table = page.getByRole('table', { name: 'Audit events' })
      await table.locator('[aria-expanded="false"]').first().click()
      await expectSettled(page)
    },
  },
  {
    name: 'audit-event',
    who: 'owner',
    path: 'audit?action=webhook.create',
    async act({ page }) {
      await page.getByRole('table', { name: 'Audit events' }).getByRole('button').first().click()
      await dialog(page).getByText('Event ID').waitFor()
    },
  },
  { name: 'billing', who: 'owner', path: 'billing' },
  { name: 'billing-failed', who: 'debtor', path: 'billing' },
  { name: 'home-failed', who: 'debtor', path: '' },
  { name: 'members', who: 'owner', path: 'members' },
  {
    name: 'invite',
    who: 'owner',
    path: 'members',
    async act({ page }) {
      await page.getByRole('button', { name: 'Invite a member' }).click()
      await page.getByRole('button', { name: 'Create invitation' }).click()
      await page.getByRole('region', { name: 'the link' }).waitFor()
    },
  },
  {
    name: 'group',
    who: 'owner',
    path: 'members',
    async act({ page }) {
      await page.getByRole('button', { name: 'Create a group' }).click()
      await dialog(page).getByRole('button', { name: 'Cancel' }).waitFor()
    },
  },
  {
    name: 'settings',
    who: 'owner',
    path: 'settings',
    async act({ page }) {
      await page.getByRole('button', { name: 'Test the embedding model' }).click()
      await page.getByText(/Works: answered in/).waitFor()
    },
  },
  { name: 'member-settings', who: 'member', path: 'settings' },
  {
    name: 'remove-workspace',
    who: 'owner',
    path: 'settings',
    async act({ page }) {
      await page.getByRole('button', { name: 'Delete this workspace' }).click()
      await page.getByRole('button', { name: 'Delete the workspace' }).waitFor()
    },
  },
]
