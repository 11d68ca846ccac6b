import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, inject, it, vi } from 'vitest'
import { type ConsoleRig, expectNoFaults, startConsole } from './support/console.ts'

// Other tests in this process use the default providers, before and after.
vi.hoisted(() => {
  vi.resetModules()
  process.env.PROVIDERS = 'slack,google_drive,notion,gmail,folder'
})
// The imports above have read it.
delete process.env.PROVIDERS
afterAll(() => vi.resetModules())

const executablePath = inject('chromium')
let rig: ConsoleRig
let root: string

describe.skipIf(executablePath === null)('the form that connects an account', () => {
  beforeAll(async () => {
    root = await realpath(await mkdtemp(path.join(tmpdir(), 'connect-form-')))
    await mkdir(path.join(root, 'wiki'))
    await writeFile(path.join(root, 'wiki/plans.md'), '# Plans\n\nThe lighthouse is painted in spring.')
    rig = await startConsole(executablePath ?? '', {
      environment: { FOLDER_ROOTS: root, ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64') },
    })
  })
  afterAll(async () => {
    await rig.close()
    await rm(root, { recursive: true })
  })

  it("shows the provider's fields and validation errors, and leads to the source", async () => {
    const { email, organization } = await rig.settle()
    await rig.grant(organization.id, 'folder')
    const { page, close } = await rig.openTab({ bypassCSP: true })
    await rig.signIn(page, email, 'sources/new')
    await page.getByRole('button', { name: 'Connect Folder' }).click()
    const dialog = page.getByRole('dialog', { name: 'Connect Folder' })
    const submit = dialog.getByRole('button', { name: 'Connect', exact: true })
    await dialog.getByRole('textbox', { name: 'Folder' }).fill('/etc')
    await submit.click()
    await dialog.getByText('Folder must be a folder below one').waitFor()
    await expectNoFaults(page, 'a form with a refused field')
    await dialog.getByRole('textbox', { name: 'Folder' }).fill(path.join(root, 'wiki'))
    await submit.click()
    await page.getByRole('heading', { name: path.join(root, 'wiki') }).waitFor()
    await page
      .getByRole('link', { name: 'Plans' })
      .or(page.getByRole('button', { name: 'Plans' }))
      .first()
      .waitFor()

    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Reconnect the account' }).click()
    await page.getByRole('dialog', { name: 'Connect Folder' }).waitFor()
    await close()
  })
})
