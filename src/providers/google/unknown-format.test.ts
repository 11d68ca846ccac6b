import { afterAll, afterEach, expect, it } from 'vitest'
import { closeGoogles, connectGoogle, titles } from '../../../test/support/google.ts'
import { createTextExtractor } from '../../file-text/index.ts'
import { createGoogleDriveAdapter, GOOGLE_DRIVE_SCOPE } from './drive/adapter.ts'
import { createGmailAdapter, GMAIL_SCOPE } from './gmail/adapter.ts'

const extractor = createTextExtractor({ threads: 1 })
afterEach(closeGoogles)
afterAll(() => extractor.close())

const connectDrive = (options = {}) =>
  connectGoogle(
    (settings, clock) => createGoogleDriveAdapter({ settings, clock, extractor }),
    GOOGLE_DRIVE_SCOPE,
    options,
  )
const connectGmail = () =>
  connectGoogle((settings, clock) => createGmailAdapter({ settings, clock, extractor }), GMAIL_SCOPE)

it('a mail in an unknown format is recorded after one request, stays, and is read by a later run', async () => {
  const { google, engine } = await connectGmail()
  const odd = google.mail.deliver({ subject: 'odd' })
  google.mail.deliver({ subject: 'other' })
  google.faults.add({ deforms: odd })
  const { failures } = await engine.run()
  expect(failures).toMatchObject([{ message: 'Gmail answered in an unknown format (threadId)' }])
  expect(google.requests.byPath()[`/gmail/v1/users/me/messages/${odd}`]).toBe(1)
  expect(titles(engine)).toEqual(['other'])
  google.faults.clear()
  await engine.run()
  google.faults.add({ deforms: odd })
  google.mail.addLabels(odd, ['Label_1'])
  google.mail.deliver({ subject: 'new' })
  expect((await engine.run()).failures).toHaveLength(1)
  expect(titles(engine)).toEqual(['new', 'odd', 'other'])
})

it('a label in an unknown format is shown by its ID', async () => {
  const { google, engine } = await connectGmail()
  google.mail.deliver({ labelIds: ['INBOX', 'Label_1'] })
  google.faults.add({ path: '/labels', deforms: 'Label_1' })
  expect((await engine.run()).failures).toEqual([])
  const labels = [...engine.items.values()].map(({ metadata }) => metadata.labels)
  expect(labels).toEqual([['INBOX', 'Label_1']])
})

it('a file in an unknown format has no readers until it is read, and is read individually too', async () => {
  const { google, engine } = await connectDrive()
  const id = google.drive.create({ name: 'Pay', content: 'secret' })
  await engine.run()
  google.faults.add({ deforms: id })
  const message = 'Google Drive returned the file in an unknown format'
  expect((await engine.reread(`my/${id}`)).failures).toMatchObject([{ message, accessPolicy: null }])
  google.drive.update(id, { content: 'newer' })
  expect((await engine.run()).failures).toMatchObject([{ message, accessPolicy: null }])
  expect(engine.bodies()).toEqual(['secret'])
  google.faults.clear()
  await engine.run()
  expect(engine.bodies()).toEqual(['newer'])
})

it('a permission in an unknown format lets nobody read, and the others do', async () => {
  const { google, engine } = await connectDrive()
  const permissions = ['ana', 'ben'].map((name) => ({
    id: name,
    type: 'user' as const,
    emailAddress: `${name}@acme.example`,
  }))
  google.drive.create({ name: 'Plan', content: 'words', permissions })
  google.faults.add({ deforms: 'ben' })
  expect((await engine.run()).failures).toEqual([])
  const policies = [...engine.items.values()].map(({ metadata }) => metadata.accessPolicy)
  expect(policies).toEqual([{ visibility: 'private', users: ['ana@acme.example'] }])
})

it('a shared drive in an unknown format is read under its ID', async () => {
  const { google, engine } = await connectDrive({ sharedDrives: 1 })
  const team = google.drive.driveId(1)
  google.drive.create({ name: 'Plan', content: 'words', driveId: team })
  google.faults.add({ path: '/drives', deforms: team })
  expect((await engine.run()).failures).toEqual([])
  expect([...engine.items.values()].map(({ metadata }) => metadata['drive'])).toEqual([team])
})
