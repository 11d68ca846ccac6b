import { afterAll, expect, it } from 'vitest'
import { paragraphs } from '../../../../emulators/jira/state.ts'
import { createConnect } from '../../../../test/support/jira.ts'
import { readPermissions } from '../../../../test/support/read-permissions.ts'
import { MarkedFields, readersOf } from './survey.ts'
import { createTextExtractor } from '../../../file-text/index.ts'

const extractor = createTextExtractor()
afterAll(() => extractor.close())

const connect = createConnect(extractor)

it('a comment in an unknown format is left out, and the others are read', async () => {
  const { jira, hr, sync, item } = await connect()
  const issue = jira.state.add(hr)
  const odd = jira.state.comment(issue, { body: paragraphs('The odd one.') })
  jira.state.comment(issue, { body: paragraphs('The other one.') })
  jira.faults.add({ deforms: odd.id })
  expect((await sync.run()).failures).toEqual([])
  expect(item(issue)?.body).toContain('The other one.')
  expect(item(issue)?.body).not.toContain('The odd one.')
})

it('nobody reads an issue in an unknown format, until it is known', async () => {
  const { jira, hr, adapter, sync, item } = await connect()
  const issue = jira.state.add(hr)
  await sync.run()
  const policyNow = async () => {
    const { policies } = await readPermissions(adapter, sync.session, sync.cursor)
    return policies.get(item(issue)?.externalId ?? '')
  }
  jira.faults.add({ deforms: issue.id })
  jira.state.edit(issue, { summary: 'Another summary' })
  expect(await policyNow()).toEqual({ visibility: 'restricted' })
  jira.faults.clear()
  expect(await policyNow()).toEqual({ visibility: 'restricted', groups: [`jira-project-${hr.id}`] })
})

it('a project in an unknown format ends the run and removes nothing', async () => {
  const { jira, hr, sync, item } = await connect()
  const issue = jira.state.add(hr)
  await sync.run()
  jira.faults.add({ deforms: hr.id })
  await expect(sync.run()).rejects.toThrow('Jira answered in an unknown format (key)')
  expect(item(issue)).toBeDefined()
})

it('one issue in an unknown format is refused when it is read individually, and stays', async () => {
  const { jira, hr, sync, item } = await connect()
  const issue = jira.state.add(hr)
  await sync.run()
  jira.faults.add({ deforms: issue.id })
  await expect(sync.reread(item(issue)?.externalId ?? '')).rejects.toMatchObject({ kind: 'rejected' })
  expect(item(issue)).toBeDefined()
})

it.each([
  [{ issuerestrictions: {}, shouldDisplay: false }, '10000'],
  [null, '10000'],
  [{ issuerestrictions: { projectrole: [{ id: '1' }] } }, null],
  [{ issuerestrictions: [{ type: 'projectrole', id: '1' }] }, null],
  [[{ type: 'projectrole', id: '1' }], null],
])('an issue restricted as %j has the readers %j', (issuerestriction, readers) => {
  const fields = {
    updated: '2026-01-01T00:00:00.000+0000',
    project: { id: '10000', key: 'HR', name: 'People' },
    issuerestriction,
  }
  const { data } = MarkedFields.safeParse(fields)
  expect(data === undefined ? null : readersOf(data)).toBe(readers)
})
