import type { Page } from 'playwright-core'
import { type Emulators, emulatorOf } from '../../support/connected-service.ts'
import { sampleDocx, samplePdf } from '../../support/sample-files.ts'
import { canvasOf } from './canvas.ts'
import { QUESTION } from './company.ts'
import { expectSettled } from './console.ts'

export interface Stage {
  page: Page
  url: string
  emulators: Emulators
  /** The company's sources by provider: connected accounts, and one that fails. */
  connected: { slack: string; notion: string; google_drive: string }
}

/** A page in one of its states, for visual review. */
export interface Scene {
  name: string
  who: 'nobody' | 'owner' | 'member' | 'newcomer' | 'debtor'
  path: string | ((stage: Stage) => string)
  /** What to do once the page is open. */
  act?: (stage: Stage) => Promise<void>
  /** The only widths where the state exists; all by default. */
  widths?: readonly number[]
  /** Runs before the page is opened. */
  before?: (stage: Stage) => Promise<void>
}

const dialog = (page: Page) => page.getByRole('dialog').last()
const ask = async ({ page }: Stage, question: string): Promise<void> => {
  await page.getByRole('textbox', { name: 'Question' }).fill(question)
  await page.getByRole('textbox', { name: 'Question' }).press('Enter')
  await page.getByRole('button', { name: 'Copy the answer' }).waitFor()
  await expectSettled(page)
}
const drawn = async ({ page }: Stage): Promise<void> => {
  await page.locator('[data-ready="true"] canvas').first().waitFor()
}
const refuse = async ({ page }: Stage): Promise<void> => {
  await page.route('**/v1/console/**', (route) =>
    route.request().url().includes('/console/me')
      ? route.continue()
      : route.fulfill({
          status: 503,
          headers: { 'x-request-id': 'req_01JV8Q4ZK3W5' },
          json: { error: 'The database does not answer at the moment. Try again.', code: 'unavailable' },
        }),
  )
}

const SIGNING_IN: readonly Scene[] = [
  { name: 'sign-in', who: 'nobody', path: '' },
  { name: 'first-visit', who: 'newcomer', path: '' },
  { name: 'first-visit-sources', who: 'newcomer', path: 'sources' },
  { name: 'first-visit-memory', who: 'newcomer', path: 'memory' },
  { name: 'first-visit-plans', who: 'newcomer', path: 'billing' },
  { name: 'no-such-page', who: 'owner', path: 'nowhere' },
  { name: 'for-admins', who: 'member', path: 'billing' },
  { name: 'member-home', who: 'member', path: '' },
  {
    name: 'loading',
    who: 'owner',
    path: 'sources',
    before: async ({ page }) => {
      await page.route('**/v1/console/sources*', () => undefined)
    },
  },
  { name: 'error', who: 'owner', path: 'developers', before: refuse },
  { name: 'error-home', who: 'owner', path: '', before: refuse },
]

const ASKING: readonly Scene[] = [
  { name: 'ask', who: 'owner', path: 'ask' },
  { name: 'ask-answer', who: 'owner', path: 'ask', act: (stage) => ask(stage, QUESTION) },
  {
    name: 'ask-source',
    who: 'owner',
    path: 'ask',
    async act(stage) {
      await ask(stage, QUESTION)
      await stage.page
        .getByRole('button', { name: /^Source 1/ })
        .first()
        .click()
      await dialog(stage.page).locator('mark').waitFor()
    },
  },
  {
    name: 'ask-weak',
    who: 'owner',
    path: 'ask',
    act: (stage) => ask(stage, 'Which river flows through Paris?'),
  },
  {
    name: 'ask-code',
    who: 'owner',
    path: 'ask',
    async act(stage) {
      await ask(stage, 'Who owns Kestrel?')
      await stage.page.getByText('Do the same from code').click()
    },
  },
  { name: 'search', who: 'owner', path: 'ask?mode=search&q=rollback' },
  {
    name: 'search-nothing',
    who: 'owner',
    path: 'ask?mode=search&q=rollback&author=Nobody%20Known',
  },
]

const SOURCES: readonly Scene[] = [
  { name: 'sources', who: 'owner', path: 'sources' },
  { name: 'source', who: 'owner', path: ({ connected }) => `sources/${connected.slack}` },
  {
    name: 'source-channels',
    who: 'owner',
    path: ({ connected }) => `sources/${connected.slack}`,
    act: ({ page }) => page.getByRole('radio', { name: 'Only these channels' }).check(),
  },
  { name: 'source-failing', who: 'owner', path: ({ connected }) => `sources/${connected.notion}` },
  { name: 'source-policy', who: 'owner', path: ({ connected }) => `sources/${connected.google_drive}` },
  {
    name: 'source-remove',
    who: 'owner',
    path: ({ connected }) => `sources/${connected.slack}`,
    async act({ page }) {
      await page.getByRole('button', { name: 'More actions' }).click()
      await page.getByRole('menuitem', { name: 'Delete', exact: true }).click()
      await dialog(page).getByText('will be deleted').waitFor()
    },
  },
  {
    name: 'source-menu',
    who: 'owner',
    path: ({ connected }) => `sources/${connected.slack}`,
    async act({ page }) {
      await page.getByRole('button', { name: 'More actions' }).click()
    },
  },
  { name: 'connect', who: 'owner', path: 'sources/new' },
  {
    name: 'import',
    who: 'owner',
    path: 'sources/import',
    async act({ page }) {
      await page.route('**/v1/console/files?*', (route) => {
        const name = new URL(route.request().url()).searchParams.toString()
        if (name.includes('Travel'))
          return route.fulfill({ status: 500, json: { error: 'Something broke', code: 'internal_error' } })
        return name.includes('Expenses') ? undefined : route.continue()
      })
      await page.getByLabel('Files to import').setInputFiles([
        { name: 'Vacation.md', mimeType: 'text/markdown', buffer: Buffer.from('# Vacation\n\n25 days.') },
        { name: 'Travel.docx', mimeType: '', buffer: await sampleDocx('Travel', 'Grace approves travel.') },
        { name: 'Expenses.pdf', mimeType: 'application/pdf', buffer: samplePdf('Receipts go to finance') },
        { name: 'Scan of the lease, signed.png', mimeType: 'image/png', buffer: Buffer.from('x') },
      ])
      await page.getByText(/3 of 4 done/).waitFor()
    },
  },
  { name: 'import-empty', who: 'owner', path: 'sources/import' },
  { name: 'items', who: 'owner', path: 'sources/items' },
  {
    name: 'item',
    who: 'owner',
    path: 'sources/items?provider=notion',
    async act({ page }) {
      await page.getByRole('table', { name: 'Stored items' }).getByRole('button').first().click()
      await dialog(page).getByText('Metadata').waitFor()
    },
  },
]

const MEMORY: readonly Scene[] = [
  { name: 'memory', who: 'owner', path: 'memory', act: drawn },
  { name: 'memory-table', who: 'owner', path: 'memory?view=table' },
  {
    name: 'memory-node',
    who: 'owner',
    path: 'memory?q=Siobhan&view=table',
    async act(stage) {
      const { page } = stage
      await page
        .getByRole('table')
        .getByRole('button', { name: /^Siobhan/ })
        .first()
        .click()
      await page.getByRole('group', { name: 'The chosen name' }).getByRole('heading').waitFor()
      const { searchParams } = new URL(page.url())
      await page.goto(`${stage.url}/console/memory?node=${searchParams.get('node') ?? ''}`)
      await drawn(stage)
      await page.getByRole('region', { name: 'Items that name it' }).waitFor()
    },
  },
  { name: 'memory-nothing', who: 'owner', path: 'memory?q=zzzzz' },
  {
    name: 'memory-many',
    who: 'owner',
    path: 'memory',
    before: async ({ page }) => {
      const canvas = { ...canvasOf(2_000), complete: false, itemsWaiting: 1_200 }
      await page.route('**/v1/console/memory-canvas?*', (route) => route.fulfill({ json: canvas }))
    },
    act: drawn,
  },
]

const RUNNING: readonly Scene[] = [
  { name: 'home', who: 'owner', path: '' },
  {
    name: 'switcher',
    who: 'owner',
    path: '',
    widths: [1440, 2560],
    async act({ page }) {
      await page.setViewportSize({ width: 1440, height: 900 })
      await page.getByRole('button', { name: /^Workspace/ }).click()
    },
  },
  {
    name: 'navigation',
    who: 'owner',
    path: '',
    widths: [360, 768],
    async act({ page }) {
      await page.setViewportSize({ width: 360, height: 900 })
      await page.getByRole('button', { name: 'Navigation' }).click()
    },
  },
  { name: 'developers', who: 'owner', path: 'developers' },
  { name: 'developers-requests', who: 'owner', path: 'developers?tab=requests' },
  {
    name: 'create-key',
    who: 'owner',
    path: 'developers',
    async act({ page }) {
      await page.getByRole('button', { name: 'Create a key' }).first().click()
      await page.getByRole('radio', { name: 'Custom' }).check()
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
  { name: 'audit', who: 'owner', path: 'audit' },
  {
    name: 'audit-event',
    who: 'owner',
    path: 'audit?action=api_key.create',
    async act({ page }) {
      await page.getByRole('table', { name: 'Audit events' }).getByRole('button').first().click()
      await dialog(page).getByRole('region', { name: 'the metadata' }).waitFor()
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
    name: 'remove-workspace',
    who: 'owner',
    path: 'members',
    async act({ page }) {
      await page.getByRole('button', { name: 'Delete this workspace' }).click()
      await page.getByRole('button', { name: 'Delete the workspace' }).waitFor()
    },
  },
]

/** Makes a source fail while the scenes are drawn. */
export function failAtProvider(emulators: Emulators): void {
  emulatorOf(emulators, 'notion').faults.add({ path: '/v1/', drop: true })
}

export const SCENES: readonly Scene[] = [...SIGNING_IN, ...ASKING, ...SOURCES, ...MEMORY, ...RUNNING]
