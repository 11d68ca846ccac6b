import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { startGoogleEmulator } from './google-emulator.ts'

let google: Awaited<ReturnType<typeof startGoogleEmulator>> | undefined
afterEach(async () => {
  await google?.close()
  google = undefined
})

async function get(path: string) {
  google ??= await startGoogleEmulator({ files: 150, sharedDrives: 1, mails: 1 })
  const { accessToken } = google.grants.issue(
    google.account,
    'https://www.googleapis.com/auth/drive.readonly',
  )
  const answer = await fetch(`${google.url}/drive/v3/${path}`, {
    headers: { authorization: `Bearer ${accessToken}` },
  })
  return { status: answer.status, body: Body.parse(await answer.json()) }
}

const Body = z.record(z.string(), z.unknown())

const refused = (location: string, message: string, reason = 'invalidParameter') => ({
  status: 400,
  body: {
    error: {
      code: 400,
      message,
      errors: [{ message, domain: 'global', reason, location, locationType: 'parameter' }],
    },
  },
})

const Files = z.looseObject({ files: z.array(z.record(z.string(), z.unknown())) })

describe('the Google Drive API', () => {
  it('returns only the requested fields, even nested ones', async () => {
    const { body } = await get('files?fields=files(id,owners/emailAddress)&pageSize=1')
    expect(Object.keys(body)).toEqual(['files'])
    const [file] = Files.parse(body).files
    expect(Object.keys(file ?? {})).toEqual(['id', 'owners'])
    expect(file?.['owners']).toEqual([{ emailAddress: expect.any(String) }])
  })

  it('returns four default fields of a file, and refuses about without fields', async () => {
    const [file] = Files.parse((await get('files?pageSize=1')).body).files
    expect(Object.keys(file ?? {})).toEqual(['kind', 'id', 'name', 'mimeType'])
    expect(await get('about')).toEqual(
      refused('fields', "The 'fields' parameter is required for this method.", 'required'),
    )
  })

  it.each([
    ['files(id,size_in_bytes)', 'Invalid field selection files(id,size_in_bytes)'],
    ['files(id,capital)', 'Invalid field selection capital'],
    ['items(id)', 'Invalid field selection items'],
    ['files(id', 'Invalid field selection files(id'],
  ])('refuses the fields %s', async (fields, message) => {
    expect(await get(`files?fields=${encodeURIComponent(fields)}`)).toEqual(refused('fields', message))
  })

  it.each([
    ['files', 1000],
    ['drives', 100],
    ['changes?pageToken=0', 1000],
  ])('accepts a pageSize of %s only within its range', async (path, most) => {
    const sized = (size: number) => get(`${path}${path.includes('?') ? '&' : '?'}pageSize=${size}`)
    expect((await sized(most)).status).toBe(200)
    for (const size of [0, most + 1])
      expect(await sized(size)).toEqual(
        refused('pageSize', `Invalid value '${size}'. Values must be within the range: [1, ${most}]`),
      )
  })

  it('lists at most a hundred files with their permissions', async () => {
    const count = async (fields: string) =>
      Files.parse((await get(`files?pageSize=1000&fields=${fields}`)).body).files.length
    expect(await count('files(id)')).toBeGreaterThan(100)
    expect(await count('files(id,permissions)')).toBe(100)
  })

  it('names the parameter that it refuses', async () => {
    expect(await get('files?pageToken=x')).toEqual(refused('pageToken', 'Invalid Value', 'invalid'))
    expect(await get('files?q=colour%20%3D%201')).toEqual(refused('q', 'Invalid Value', 'invalid'))
  })
})
