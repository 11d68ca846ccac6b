import { afterAll, describe } from 'vitest'
import { type JiraIssue, paragraphs } from '../../../../emulators/jira/state.ts'
import { checkConnector } from '../../../../test/connectors/conformance.ts'
import type { ConnectedAccount, ConnectOptions } from '../../../../test/connectors/connected-account.ts'
import { connectJira, type JiraAccount } from '../../../../test/support/jira.ts'
import { createTextExtractor } from '../../../file-text/index.ts'
import { jira as provider } from './index.ts'

const extractor = createTextExtractor()
afterAll(() => extractor.close())

type ChangesOf = (
  account: JiraAccount,
  issueOf: (id: string) => JiraIssue,
) => Pick<ConnectedAccount, 'add' | 'edit' | 'remove' | 'move' | 'break'>

function check(changesOf: ChangesOf): void {
  checkConnector({
    provider,
    revokedMessage: /^Jira rejected the email or the API token$/,
    connect: (options) => connect(options, changesOf),
  })
}

async function connect(
  { thingsPerPage: itemsPerPage, limits = {}, signal }: ConnectOptions,
  changesOf: ChangesOf,
): Promise<ConnectedAccount> {
  const account = await connectJira({ extractor, itemsPerPage, limits, ...(signal && { signal }) })
  const { jira, hr, adapter, sync, fresh } = account
  const issueOf = (id: string): JiraIssue => {
    const issue = jira.state.issues.get(id)
    if (issue === undefined) throw new Error(`there is no issue ${id}`)
    return issue
  }
  return {
    sync,
    adapter,
    fresh,
    ...changesOf(account, issueOf),
    restrict(id, email) {
      const [value = ''] = email.split('@')
      hr.levels.set('10020', [{ type: 'user', value }])
      jira.state.edit(issueOf(id), { levelId: '10020' })
    },
    mend: () => jira.faults.clear(),
    deform: (id) => jira.faults.add({ deforms: id }),
    requests: {
      faults: jira.faults,
      tooMany: (seconds) => ({ status: 429, headers: { 'retry-after': String(seconds) } }),
    },
    revoke: () => jira.grants.revokeAll(),
    close: () => jira.close(),
  }
}

describe('issues', () => {
  check(({ jira: { state, faults }, hr }, issueOf) => {
    const other = state.createProject('ENG')
    return {
      add: (text) => state.add(hr, { description: paragraphs(text) }).id,
      edit: (id, text) => state.edit(issueOf(id), { description: paragraphs(text) }),
      remove: (id) => state.remove(issueOf(id)),
      move: (id) => state.move(issueOf(id), other),
      break: (id) => faults.add({ path: `/issue/${id}`, status: 500 }),
    }
  })
})

describe('comments', () => {
  check(({ jira: { state, faults }, hr }, issueOf) => {
    const other = state.createProject('ENG')
    return {
      add(text) {
        const issue = state.add(hr)
        state.comment(issue, { body: paragraphs(text) })
        return issue.id
      },
      edit(id, text) {
        const comment = [...state.comments.values()].find(({ issueId }) => issueId === id)
        if (comment !== undefined) state.editComment(comment, { body: paragraphs(text) })
      },
      remove: (id) => state.remove(issueOf(id)),
      move: (id) => state.move(issueOf(id), other),
      break: (id) => faults.add({ path: `/issue/${id}`, status: 500 }),
    }
  })
})
