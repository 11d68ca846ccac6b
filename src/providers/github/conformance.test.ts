import { afterAll, describe } from 'vitest'
import { checkConnector } from '../../../test/connectors/conformance.ts'
import type { ConnectedAccount, ConnectOptions } from '../../../test/connectors/connected-account.ts'
import { changeIssues, connectGitHub, type GitHubAccount } from '../../../test/support/github.ts'
import { createTextExtractor } from '../../file-text/index.ts'
import { github as provider } from './index.ts'

const extractor = createTextExtractor()
afterAll(() => extractor.close())

type Changes = Pick<ConnectedAccount, 'add' | 'edit' | 'remove' | 'move' | 'break' | 'deform'>

async function connect(
  { thingsPerPage: itemsPerPage, limits = {}, signal }: ConnectOptions,
  changesOf: (account: GitHubAccount, next: () => number) => Changes,
): Promise<ConnectedAccount> {
  const account = await connectGitHub({ extractor, itemsPerPage, limits, ...(signal && { signal }) })
  const { hub, adapter, sync, fresh } = account
  let count = 0
  return {
    sync,
    adapter,
    fresh,
    ...changesOf(account, () => (count += 1)),
    mend: () => hub.faults.clear(),
    requests: {
      faults: hub.faults,
      tooMany: (seconds) => ({
        status: 403,
        headers: { 'retry-after': String(seconds) },
        body: { message: 'You have exceeded a secondary rate limit.' },
      }),
    },
    revoke: () => hub.grants.revokeAll(),
    close: () => hub.close(),
  }
}

describe('issues', () => {
  checkConnector({
    provider,
    revokedMessage: /^Bad credentials$/,
    // The suite makes an id by adding a digit, which must not be another issue's.
    things: 9,
    connect: (options) => connect(options, changeIssues),
  })
})

describe('Markdown files', () => {
  checkConnector({
    provider,
    connect: (options) =>
      connect(options, ({ hub: { state, faults }, web }, next) => ({
        add(text) {
          const number = next()
          const path = `docs/part-${number % 3}/note-${String(number).padStart(3, '0')}.md`
          state.write(web, path, `# Note\n\n${text}`)
          return path
        },
        edit: (path, text) => state.write(web, path, `# Note\n\n${text}`),
        remove: (path) => void web.files.delete(path),
        move(path) {
          const content = web.files.get(path)?.content ?? ''
          web.files.delete(path)
          state.write(web, path.replace('docs/', 'archive/'), content)
        },
        break: (path) =>
          faults.add({ path: '/commits', contains: new URLSearchParams({ path }).toString(), status: 500 }),
      })),
  })
})

describe('discussions', () => {
  checkConnector({
    provider,
    // The suite makes an id by adding a digit, which must not be another discussion's.
    things: 9,
    connect: (options) =>
      connect(options, ({ hub: { state, faults }, web }) => {
        const discussionOf = (number: string) => {
          const discussion = web.discussions.get(Number(number))
          if (discussion === undefined) throw new Error(`there is no discussion ${number}`)
          return discussion
        }
        return {
          add: (text) => String(state.discuss(web, { body: text }).number),
          edit: (number, text) => state.changeDiscussion(discussionOf(number), { body: text }),
          remove: (number) => void web.discussions.delete(Number(number)),
          move: (number) => state.changeDiscussion(discussionOf(number), { category: 'Ideas' }),
          break: (number) => faults.add({ path: '/graphql', contains: `"number":${number},`, status: 500 }),
          deform: (number) => faults.add({ deforms: number }),
        }
      }),
  })
})
