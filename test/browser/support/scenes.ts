import { type Emulators, emulatorOf } from '../../support/connected-service.ts'
import { sampleDocx, samplePdf } from '../../support/sample-files.ts'
import { canvasOf } from './canvas.ts'
import { QUESTION } from './company.ts'
import { expectSettled } from './console.ts'
import { dialog, type Scene, type Stage } from './scene.ts'
import { RUNNING } from './scenes-of-admins.ts'

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
  {
    name: 'outage',
    who: 'owner',
    path: 'developers',
    async act({ page }) {
      await page.route(/\/(v1|readyz)/, (route) => route.abort())
      await page.getByRole('tab', { name: 'Requests and usage' }).click()
      await page.getByText('The service is unreachable').waitFor()
    },
  },
  {
    name: 'invitation',
    who: 'newcomer',
    path: ({ invitations }) => invitations.open,
    act: async ({ page }) => page.getByRole('button', { name: 'Join the workspace' }).waitFor(),
  },
  {
    name: 'invitation-for-another',
    who: 'newcomer',
    path: ({ invitations }) => invitations.forAnother,
    act: async ({ page }) => page.getByText(/^You are signed in as/).waitFor(),
  },
  {
    name: 'palette',
    who: 'owner',
    path: '',
    async act({ page }) {
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: /^Search pages/ }).fill('s')
      await page.getByRole('option').first().waitFor()
    },
  },
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
      await dialog(stage.page).locator('mark').first().waitFor()
    },
  },
  {
    name: 'ask-weak',
    who: 'owner',
    path: 'ask',
    act: (stage) => ask(stage, 'Which river flows through Paris?'),
  },
  {
    name: 'ask-thread',
    who: 'owner',
    path: 'ask',
    async act(stage) {
      const { page } = stage
      await ask(stage, QUESTION)
      await page.getByRole('button', { name: 'Missing source' }).click()
      await page.getByRole('button', { name: 'Add to evaluation' }).waitFor()
      await page.getByRole('textbox', { name: 'Follow-up' }).fill('And who freezes GitHub?')
      await page.getByRole('textbox', { name: 'Follow-up' }).press('Enter')
      await page.getByRole('button', { name: 'Copy the answer', exact: true }).waitFor()
      await expectSettled(page)
    },
  },
  {
    name: 'ask-shared',
    who: 'member',
    path: 'ask?q=And%20who%20freezes%20GitHub%3F&after=%5B%22Who%20owns%20Kestrel%3F%22%5D',
  },
  { name: 'ask-threads', who: 'owner', path: 'ask' },
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
    path: ({ connected }) => `sources/${connected.slack}?tab=channels`,
    act: ({ page }) => page.getByRole('radio', { name: 'Only these channels' }).check(),
  },
  { name: 'source-failing', who: 'owner', path: ({ connected }) => `sources/${connected.notion}` },
  {
    name: 'source-policy',
    who: 'owner',
    path: ({ connected }) => `sources/${connected.google_drive}?tab=permissions`,
  },
  {
    name: 'source-skipped',
    who: 'owner',
    path: ({ connected }) => `sources/${connected.google_drive}?tab=skipped`,
  },
  {
    name: 'source-history',
    who: 'owner',
    path: ({ connected }) => `sources/${connected.notion}?tab=history`,
  },
  {
    name: 'source-remove',
    who: 'owner',
    path: ({ connected }) => `sources/${connected.slack}`,
    async act({ page }) {
      await page.getByRole('button', { name: 'More actions' }).click()
      await page.getByRole('menuitem', { name: 'Delete', exact: true }).click()
      await dialog(page).getByText('will be deleted').first().waitFor()
    },
  },
  {
    name: 'source-run',
    who: 'owner',
    path: ({ connected }) => `sources/${connected.notion}?tab=history`,
    async act({ page }) {
      await page.getByRole('table', { name: 'Runs' }).getByRole('button').first().click()
      await dialog(page)
        .getByText(/^Next sync/)
        .waitFor()
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
        { name: 'Scan of the lease, signed.tiff', mimeType: 'image/tiff', buffer: Buffer.from('x') },
      ])
      await page.getByText(/3 of 4 done/).waitFor()
    },
  },
  { name: 'import-empty', who: 'owner', path: 'sources/import' },
  { name: 'items', who: 'owner', path: 'sources/items' },
  {
    name: 'items-delete',
    who: 'owner',
    path: 'sources/items?q=rollback',
    async act({ page }) {
      await page.getByRole('checkbox', { name: /^Select all/ }).check()
      await page.getByRole('button', { name: /^Delete \d/ }).click()
      await dialog(page)
        .getByText(/can no longer be found/)
        .waitFor()
    },
  },
  {
    name: 'item',
    who: 'owner',
    path: 'sources/items?provider=notion',
    async act({ page }) {
      await page
        .getByRole('table', { name: 'Stored items' })
        .getByRole('cell')
        .getByRole('button')
        .first()
        .click()
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
      await page.getByRole('region', { name: 'Items' }).waitFor()
    },
  },
  { name: 'memory-nothing', who: 'owner', path: 'memory?q=zzzzz' },
  { name: 'memory-search', who: 'owner', path: 'memory?q=Kestrel', act: drawn },
  { name: 'memory-changes', who: 'owner', path: 'memory?view=changes' },
  {
    name: 'memory-many',
    who: 'owner',
    path: 'memory',
    before: async ({ page }) => {
      const canvas = { ...canvasOf(500), complete: false, itemsWaiting: 1_200 }
      await page.route('**/v1/console/memory-canvas?*', (route) => route.fulfill({ json: canvas }))
    },
    act: drawn,
  },
]

/** Makes a source fail while the scenes are drawn. */
export function failAtProvider(emulators: Emulators): void {
  emulatorOf(emulators, 'notion').faults.add({ path: '/v1/', drop: true })
}

export const SCENES: readonly Scene[] = [...SIGNING_IN, ...ASKING, ...SOURCES, ...MEMORY, ...RUNNING]
