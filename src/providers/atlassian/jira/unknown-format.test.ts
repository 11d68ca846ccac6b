import { afterAll, expect, it } from 'vitest'
import { paragraphs } from '../../../../emulators/jira/state.ts'
import { createConnect } from '../../../../test/support/jira.ts'
import { readPermissions } from '../../../../test/support/read-permissions.ts'
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
