import { expect, it } from 'vitest'
import { readSettings } from '../config.ts'
import { settingWarnings } from './setting-warnings.ts'

const IDENTITY = { OIDC_ISSUER: 'https://id.example.com', OIDC_AUDIENCE: 'memory', OIDC_CLIENT_ID: 'console' }
const POSTGRES = { DATABASE_URL: 'postgresql://127.0.0.1/memory' }

it('says nothing about settings that leave nothing out', () => {
  expect(settingWarnings(readSettings({}))).toEqual([])
  expect(settingWarnings(readSettings({ ...IDENTITY, ...POSTGRES, ROLE: 'api' }))).toEqual([])
})

it.each(['api', 'worker'])(
  'warns that ROLE=%s with the embedded database leaves half of the work undone',
  (ROLE) => {
    expect(settingWarnings(readSettings({ ...IDENTITY, ROLE }))).toEqual([
      `ROLE=${ROLE} does half of the work, and no other process can use the embedded database: set DATABASE_URL, or ROLE=all`,
    ])
  },
)

it('warns of links in mails that open only here, except in a worker, which sends none', () => {
  const mailing = {
    ...IDENTITY,
    ...POSTGRES,
    SMTP_URL: 'smtp://127.0.0.1:2525',
    MAIL_FROM: 'memory@example.com',
  }
  expect(settingWarnings(readSettings(mailing))).toEqual([
    'links in mails open only on this machine: set PUBLIC_URL',
  ])
  expect(settingWarnings(readSettings({ ...mailing, ROLE: 'worker' }))).toEqual([])
})
