import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { byTitle, closeGoogles, connectGoogle, refusal } from '../../../../test/support/google.ts'
import { readPermissions } from '../../../../test/support/read-permissions.ts'
import { createTextExtractor } from '../../../file-text/index.ts'
import { accessPolicyOf } from './access-policy.ts'
import { createGoogleDriveAdapter, GOOGLE_DRIVE_SCOPE } from './adapter.ts'

const extractor = createTextExtractor({ threads: 1 })
afterEach(closeGoogles)
afterAll(() => extractor.close())

async function connect(sharedDrives = 1) {
  const connected = await connectGoogle(
    (settings, clock) => createGoogleDriveAdapter({ settings, clock, extractor }),
    GOOGLE_DRIVE_SCOPE,
    { sharedDrives },
  )
  const { google, engine, adapter } = connected
  return {
    ...connected,
    team: google.drive.driveId(1),
    read: () => readPermissions(adapter, engine.session, engine.cursor),
  }
}

const user = (emailAddress: string) => ({ id: `p-${emailAddress}`, type: 'user' as const, emailAddress })

describe('the access policy of permissions', () => {
  it('lists people, groups and domains in lower case, without duplicates', () => {
    expect(
      accessPolicyOf([
        user('Ada@acme.example'),
        user('ada@acme.example'),
        { type: 'group', emailAddress: 'Team@acme.example' },
        { type: 'domain', domain: 'Acme.Example' },
      ]),
    ).toEqual({
      visibility: 'restricted',
      users: ['ada@acme.example'],
      groups: ['team@acme.example'],
      domains: ['acme.example'],
    })
  })

  it('ignores deleted accounts and permissions on something other than the file', () => {
    const permissions = [
      user('ada@acme.example'),
      { ...user('gone@acme.example'), deleted: true },
      { type: 'anyone', view: 'published' },
      { type: 'user' },
    ]
    expect(accessPolicyOf(permissions)).toEqual({ visibility: 'private', users: ['ada@acme.example'] })
    expect(accessPolicyOf([])).toEqual({ visibility: 'restricted' })
  })

  it('is public when anyone may read', () => {
    expect(accessPolicyOf([user('ada@acme.example'), { type: 'anyone' }])).toEqual({ visibility: 'public' })
  })
})

describe('files of a shared drive', () => {
  it('are readable by its members and by people they were shared with', async () => {
    const { google, engine, team } = await connect()
    const { drive } = google
    const folder = drive.create({
      name: 'Shared',
      mimeType: 'application/vnd.google-apps.folder',
      driveId: team,
    })
    drive.create({ name: 'plain', content: 'plain words', driveId: team })
    const shared = drive.create({ name: 'shared', content: 'shared words', driveId: team })
    drive.create({ name: 'below', content: 'words below', folderId: folder })
    drive.update(shared, { augmented: [user('out@side.example')] })
    drive.update(folder, { augmented: [user('guest@side.example')] })
    await engine.run()
    const policyOf = (title: string) => byTitle(engine, title)?.metadata.accessPolicy
    expect(policyOf('plain')).toEqual({ visibility: 'restricted', groups: [team] })
    expect(policyOf('shared')).toEqual({
      visibility: 'restricted',
      users: ['out@side.example'],
      groups: [team],
    })
    expect(policyOf('below')).toEqual({
      visibility: 'restricted',
      users: ['guest@side.example'],
      groups: [team],
    })
  })

  it('below a folder with limited access are readable only by those it names', async () => {
    const { google, engine, team } = await connect()
    const { drive } = google
    const folder = drive.create({
      name: 'Limited',
      mimeType: 'application/vnd.google-apps.folder',
      driveId: team,
    })
    drive.create({ name: 'secret', content: 'secret words', folderId: folder })
    drive.update(folder, { limited: true, augmented: [user('boss@acme.example')] })
    await engine.run()
    expect(byTitle(engine, 'secret')?.metadata.accessPolicy).toEqual({
      visibility: 'private',
      users: ['boss@acme.example'],
    })
  })

  it('nested more deeply than folders are looked up are asked for their own permissions', async () => {
    const { google, engine, team } = await connect()
    const { drive } = google
    const mimeType = 'application/vnd.google-apps.folder'
    const limited = drive.create({ name: 'Limited', mimeType, driveId: team })
    let folder = limited
    for (let depth = 0; depth < 60; depth += 1) folder = drive.createFolder(`${depth}`, folder)
    drive.create({ name: 'secret', content: 'secret words', folderId: folder })
    drive.update(limited, { limited: true, augmented: [user('boss@acme.example')] })
    await engine.run()
    expect(byTitle(engine, 'secret')?.metadata.accessPolicy).toEqual({
      visibility: 'private',
      users: ['boss@acme.example'],
    })
  })
})

describe('a file whose content cannot be read', () => {
  it('is stored for its current readers only', async () => {
    const { google, engine } = await connect()
    const readers = [user('ada@acme.example'), user('bob@acme.example')]
    const refused = google.drive.create({ name: 'Refused', content: 'secret', permissions: readers })
    const silent = google.drive.create({ name: 'Silent', content: 'secret', permissions: readers })
    await engine.run()
    for (const file of [refused, silent])
      google.drive.update(file, { permissions: [user('ada@acme.example')] })
    google.faults.add({ path: `${refused}/export`, status: 403, body: refusal('exportSizeLimitExceeded') })
    google.faults.add({ path: `${silent}/export`, status: 500, body: refusal('backendError', 500) })
    const { failures } = await engine.run()
    expect(failures).toHaveLength(2)
    for (const title of ['Refused', 'Silent'])
      expect(byTitle(engine, title)?.metadata.accessPolicy).toEqual({
        visibility: 'private',
        users: ['ada@acme.example'],
      })
  })
})

describe('reading permissions alone', () => {
  it('reports the members of every shared drive', async () => {
    const { google, engine, team, read } = await connect()
    google.drive.create({ name: 'ours', content: 'words', driveId: team })
    await engine.run()
    google.drive.setMembers(team, [
      user('New@acme.example'),
      { id: 'd', type: 'domain', domain: 'acme.example' },
    ])
    const { groups, groupIds, policies, needsRun } = await read()
    expect([...groups]).toEqual([
      [team, { users: ['new@acme.example'], groups: [], domains: ['acme.example'], isWorkspace: false }],
    ])
    expect([groupIds, [...policies], needsRun]).toEqual([[team], [], false])
  })

  it('reports no members when Google refuses, so that nobody can read', async () => {
    const { google, engine, team, read } = await connect()
    await engine.run()
    google.faults.add({ path: '/permissions', status: 403, body: refusal('insufficientFilePermissions') })
    expect((await read()).groups.get(team)?.users).toEqual([])
  })

  it('reports the new policies of files changed since the last run, until a run has read them', async () => {
    const { google, engine, read } = await connect()
    const file = google.drive.create({ name: 'Pay', content: 'secret' })
    const gone = google.drive.create({ name: 'Gone', content: 'gone' })
    await engine.run()
    google.drive.update(file, { permissions: [user('ada@acme.example')] })
    google.drive.trash(gone)
    for (let time = 0; time < 2; time++)
      expect(Object.fromEntries((await read()).policies)).toEqual({
        [`my/${file}`]: { visibility: 'private', users: ['ada@acme.example'] },
        [`my/${gone}`]: null,
      })
    await engine.run()
    expect((await read()).policies.size).toBe(0)
  })

  it('reports the policies of files in a newly shared folder, at any depth', async () => {
    const { google, engine, team, read } = await connect()
    const { drive } = google
    const kind = 'application/vnd.google-apps.folder'
    const outer = drive.create({ name: 'Outer', mimeType: kind, driveId: team })
    const inner = drive.create({ name: 'Inner', mimeType: kind, folderId: outer })
    const file = drive.create({ name: 'deep', content: 'words', folderId: inner })
    await engine.run()
    drive.update(outer, { augmented: [user('guest@side.example')] })
    expect((await read()).policies.get(`${team}/${file}`)).toEqual({
      visibility: 'restricted',
      users: ['guest@side.example'],
      groups: [team],
    })
  })

  it('requests a run if a folder is missing or the position is too old', async () => {
    const { google, engine, read } = await connect()
    const folder = google.drive.createFolder('Plans')
    google.drive.create({ name: 'plan', content: 'words', folderId: folder })
    await engine.run()
    google.drive.unshare(folder)
    expect((await read()).needsRun).toBe(true)
    google.drive.expireChangeTokens()
    expect((await read()).needsRun).toBe(true)
  })

  it('leaves groups unchanged before the first read', async () => {
    const { adapter, engine } = await connect()
    expect((await readPermissions(adapter, engine.session, null)).groupIds).toBeNull()
  })
})
