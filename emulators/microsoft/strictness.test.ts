import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MicrosoftEmulator, startMicrosoftEmulator } from './index.ts'

const SCOPES = 'User.Read Files.Read.All Sites.Read.All'
let microsoft: MicrosoftEmulator
let drive: string
let file: string

beforeAll(async () => {
  microsoft = await startMicrosoftEmulator()
  drive = `/v1.0/drives/${microsoft.drive.id}`
  const folder = microsoft.files.folder(microsoft.drive, 'Plans')
  for (let count = 0; count < 3; count += 1) microsoft.files.add(microsoft.drive, { parentId: folder.id })
  file = microsoft.files.add(microsoft.drive, { parentId: folder.id }).id
})
afterAll(() => microsoft.close())

async function get(path: string, { scope = SCOPES, headers = {}, token = '' } = {}) {
  const bearer = token || microsoft.grants.issue('ada', scope).accessToken
  const address = path.startsWith('http') ? path : microsoft.url + path
  const answer = await fetch(address, { headers: { authorization: `Bearer ${bearer}`, ...headers } })
  const text = await answer.text()
  return {
    status: answer.status,
    headers: answer.headers,
    body: text.startsWith('{') ? JSON.parse(text) : text,
  }
}

it.each([
  ['/root/delta?$select=id,colour', 400, "named 'colour' on type 'microsoft.graph.driveItem'"],
  ['/root/delta?$filter=x', 400, "'$filter' is not supported"],
  ['/root/delta?$top=0', 400, '$top'],
  ['/root/delta?token=nonsense', 400, 'malformed'],
  ['/items/none', 404, 'could not be found'],
  ['/list', 400, 'Resource not found for the segment'],
])('refuses %s', async (path, status, words) => {
  const answer = await get(drive + path)
  expect(answer.status).toBe(status)
  expect(answer.body.error.message).toContain(words)
})

it('refuses unknown, expired and revoked tokens, and scopes that were not granted', async () => {
  expect((await get('/v1.0/me', { token: 'x' })).body.error.code).toBe('InvalidAuthenticationToken')
  expect((await get(`${drive}/root/delta`, { scope: 'User.Read' })).body.error.code).toBe('accessDenied')
  const { accessToken: token } = microsoft.grants.issue('ada', SCOPES)
  microsoft.grants.expireAccessTokens()
  expect(await get('/v1.0/me', { token })).toMatchObject({ status: 401 })
  microsoft.grants.revoke(token)
  expect((await get('/v1.0/me', { token })).body.error.message).toContain('TokenIssuedBeforeRevocation')
})

it('pages by links, ends with a delta link, and refuses one that is too old with the code and a link', async () => {
  const first = await get(`${drive}/root/delta?$top=3&$select=id,file`)
  expect(first.body).not.toHaveProperty('@odata.deltaLink')
  const second = await get(first.body['@odata.nextLink'])
  expect(second.body).not.toHaveProperty('@odata.nextLink')
  const link = second.body['@odata.deltaLink']
  expect((await get(link)).body.value).toEqual([])
  for (const one of microsoft.files.drives.values()) microsoft.files.expireTokens(one)
  const stale = await get(link)
  expect(stale).toMatchObject({ status: 410, body: { error: { code: 'resyncChangesApplyDifferences' } } })
  expect((await get(stale.headers.get('location') ?? '')).status).toBe(200)
})

it('reports the parent folders of a change unless excluded, and never their paths', async () => {
  const { body } = await get(`${drive}/root/delta?token=latest`)
  const item = microsoft.files.items.get(file)
  if (item === undefined) throw new Error('there is no file')
  microsoft.files.edit(item, { content: 'New.' })
  const all = await get(body['@odata.deltaLink'])
  expect(all.body.value.filter((one: object) => 'folder' in one)).not.toEqual([])
  const alone = await get(body['@odata.deltaLink'], { headers: { deltaExcludeParent: 'true' } })
  expect(alone.body.value).toMatchObject([{ id: file, parentReference: { driveId: microsoft.drive.id } }])
  expect(alone.body.value[0].parentReference).not.toHaveProperty('path')
})

it('serves a download address without a token, and refuses one', async () => {
  const { body } = await get(`${drive}/items/${file}?$select=id,@microsoft.graph.downloadUrl`)
  const address = body['@microsoft.graph.downloadUrl']
  expect((await get(address)).status).toBe(401)
  expect(await (await fetch(address)).text()).toBe('New.')
})

describe('Teams', () => {
  const TEAMS = 'User.Read Team.ReadBasic.All Channel.ReadBasic.All ChannelMessage.Read.All'
  const open = () => {
    const { teams } = microsoft
    const channel = teams.createChannel(teams.createTeam('Sales'), 'General')
    for (let count = 0; count < 3; count += 1) teams.post(channel)
    const path = `/v1.0/teams/${channel.teamId}/channels/${encodeURIComponent(channel.id)}`
    return { channel, path, ask: (more: string) => get(path + more, { scope: TEAMS }) }
  }

  it.each([
    ['/messages?$top=51', "The limit of '50'"],
    ['/messages?$select=id', "'$select' is not supported"],
    ['/messages?$expand=reactions', "'reactions'"],
    ['/messages?$filter=x', "'$filter' is not supported"],
    ['/messages/delta?$filter=subject%20eq%20x', 'lastModifiedDateTime gt'],
    ['/messages/delta?$deltatoken=nonsense', 'DeltaToken'],
    ['/messages/1/replies?$expand=replies', "'$expand' is not supported"],
  ])('refuses %s', async (more, words) => {
    const { ask } = open()
    expect(await ask(more)).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining(words) } },
    })
  })

  it('refuses channels that the account cannot open, and lists without their scope', async () => {
    const { channel, path, ask } = open()
    expect((await ask('/allMembers')).body.error.code).toBe('accessDenied')
    expect((await ask('/messages/1')).status).toBe(404)
    microsoft.teams.teams.get(channel.teamId)?.members.delete('ada')
    expect((await ask('/messages')).status).toBe(403)
    expect((await get(`/v1.0/teams/${channel.teamId}/channels`, { scope: TEAMS })).status).toBe(403)
    expect((await get(`${path}x/messages`, { scope: TEAMS })).status).toBe(404)
  })

  it('reports a thread when a reply changes, without replies unless they are expanded, and refuses old tokens', async () => {
    const { channel, ask } = open()
    const { teams } = microsoft
    const [root] = teams.rootsIn(channel)
    if (root === undefined) throw new Error('there is no message')
    const first = await ask('/messages/delta?$top=2')
    expect(first.body).not.toHaveProperty('@odata.deltaLink')
    const second = await get(first.body['@odata.nextLink'], { scope: TEAMS })
    const link = second.body['@odata.deltaLink']
    teams.remove(teams.reply(root))
    const { body } = await get(link, { scope: TEAMS })
    expect(body.value).toMatchObject([{ id: root.id, replyToId: null }])
    expect(body.value[0]).not.toHaveProperty('replies')
    const expanded = await ask(
      '/messages/delta?$expand=replies&$filter=lastModifiedDateTime%20gt%202026-01-01T00:00:00Z',
    )
    expect(expanded.body.value.at(-1).replies).toMatchObject([
      { deletedDateTime: expect.any(String), body: { content: '' } },
    ])
    teams.expireTokens(channel)
    expect(await get(link, { scope: TEAMS })).toMatchObject({
      status: 410,
      body: { error: { code: 'syncStateNotFound' } },
    })
  })
})
