import { afterAll, describe } from 'vitest'
import type { ConfluenceContent } from '../../../../emulators/confluence/state.ts'
import { checkConnector } from '../../../../test/connectors/conformance.ts'
import type { ConnectedAccount, ConnectOptions } from '../../../../test/connectors/connected-account.ts'
import { type ConfluenceAccount, connectConfluence } from '../../../../test/support/confluence.ts'
import { createTextExtractor } from '../../../file-text/index.ts'
import { confluence as provider } from './index.ts'

const extractor = createTextExtractor()
afterAll(() => extractor.close())

type ChangesOf = (
  account: ConfluenceAccount,
  pageOf: (id: string) => ConfluenceContent,
) => Pick<ConnectedAccount, 'add' | 'edit' | 'remove' | 'move' | 'break'>

function check(changesOf: ChangesOf): void {
  checkConnector({
    provider,
    revokedMessage: /^Confluence rejected the email or the API token$/,
    connect: (options) => connect(options, changesOf),
  })
}

async function connect(
  { thingsPerPage: itemsPerPage, limits = {}, signal }: ConnectOptions,
  changesOf: ChangesOf,
): Promise<ConnectedAccount> {
  const account = await connectConfluence({ extractor, itemsPerPage, limits, ...(signal && { signal }) })
  const { wiki, adapter, sync, fresh } = account
  const pageOf = (id: string): ConfluenceContent => {
    const page = wiki.state.contents.get(id)
    if (page === undefined) throw new Error(`there is no page ${id}`)
    return page
  }
  return {
    sync,
    adapter,
    fresh,
    ...changesOf(account, pageOf),
    restrict(id, email) {
      const [person = ''] = email.split('@')
      pageOf(id).restriction = { users: [person], groups: [] }
    },
    mend: () => wiki.faults.clear(),
    deform: (id) => wiki.faults.add({ deforms: id }),
    requests: {
      faults: wiki.faults,
      tooMany: (seconds) => ({ status: 429, headers: { 'retry-after': String(seconds) } }),
    },
    revoke: () => wiki.grants.revokeAll(),
    close: () => wiki.close(),
  }
}

describe('pages', () => {
  check(({ wiki: { state, faults }, hr }, pageOf) => {
    const archive = state.add(hr, { title: 'Archive' })
    return {
      add: (text) => state.add(hr, { body: `<p>${text}</p>` }).id,
      edit: (id, text) => state.edit(pageOf(id), { body: `<p>${text}</p>` }),
      remove: (id) => state.trash(pageOf(id)),
      move: (id) => state.move(pageOf(id), { parent: archive }),
      break: (id) => faults.add({ path: `/pages/${id}`, status: 500 }),
    }
  })
})

describe('blog posts', () => {
  check(({ wiki: { state, faults }, hr }, pageOf) => {
    const other = state.createSpace('ENG')
    return {
      add: (text) => state.add(hr, { type: 'blogpost', body: `<p>${text}</p>` }).id,
      edit: (id, text) => state.edit(pageOf(id), { body: `<p>${text}</p>` }),
      remove: (id) => state.trash(pageOf(id)),
      move: (id) => state.move(pageOf(id), { space: other }),
      break: (id) => faults.add({ path: `/blogposts/${id}`, status: 500 }),
    }
  })
})

describe('attachments', () => {
  check(({ wiki: { state, faults }, hr }, pageOf) => {
    const other = state.createSpace('ENG')
    return {
      add(text) {
        const page = state.add(hr)
        state.attach(page, { name: 'note.txt', content: text })
        return page.id
      },
      edit(id, text) {
        const attachment = [...state.attachments.values()].find(({ pageId }) => pageId === id)
        if (attachment !== undefined) state.replaceAttachment(attachment, text)
      },
      remove: (id) => state.trash(pageOf(id)),
      move: (id) => state.move(pageOf(id), { space: other }),
      break: (id) => faults.add({ path: `/pages/${id}/attachments`, status: 500 }),
    }
  })
})

describe('comments', () => {
  check(({ wiki: { state, faults }, hr }, pageOf) => {
    const other = state.createSpace('ENG')
    return {
      add(text) {
        const page = state.add(hr)
        state.comment(page, { body: `<p>${text}</p>` })
        return page.id
      },
      edit(id, text) {
        const comment = [...state.comments.values()].find(({ pageId }) => pageId === id)
        if (comment !== undefined) state.editComment(comment, `<p>${text}</p>`)
      },
      remove(id) {
        for (const comment of state.comments.values()) if (comment.pageId === id) state.removeComment(comment)
        state.trash(pageOf(id))
      },
      move: (id) => state.move(pageOf(id), { space: other }),
      break: (id) => faults.add({ path: `/pages/${id}/footer-comments`, status: 500 }),
    }
  })
})
