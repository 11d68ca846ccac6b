import { onTestFinished } from 'vitest'
import {
  type GitHubEmulator,
  type GitHubEmulatorOptions,
  startGitHubEmulator,
} from '../../emulators/github/index.ts'
import type { GitHubRepository } from '../../emulators/github/state.ts'
import type { TextExtractor } from '../../src/file-text/index.ts'
import { readingFeed } from '../../src/providers/feed.ts'
import { createGitHubAdapter } from '../../src/providers/github/adapter.ts'
import { createGitHub, restOptionsOf } from '../../src/providers/github/client.ts'
import { createGitHubFeed } from '../../src/providers/github/feed.ts'
import type { FormAdapter, ProviderItem, ProviderLimits } from '../../src/providers/adapter.ts'
import { findRepositories } from '../../src/providers/github/repositories.ts'
import { createRest } from '../../src/providers/rest.ts'
import type { ConnectedAccount } from '../connectors/connected-account.ts'
import { createProviderHarness, type ProviderHarness } from './provider-harness.ts'

export interface GitHubAccount {
  hub: GitHubEmulator
  web: GitHubRepository
  adapter: FormAdapter
  sync: ProviderHarness
  /** Another source of the same account, which has never synced. */
  fresh(): ProviderHarness
  /** The stored item of an issue, or of a file, by the end of its id. */
  item(end: string): ProviderItem | undefined
}

export interface GitHubAccountOptions extends GitHubEmulatorOptions {
  extractor: TextExtractor
  itemsPerPage?: number
  /** The value of the repositories field. */
  repositories?: string
  limits?: Partial<ProviderLimits>
  signal?: AbortSignal
  /** As if the emulator were github.com, where a public repository is public to everyone. */
  isPublicHost?: boolean
  prepare?(hub: GitHubEmulator): void
}

/** An emulated account with the repository `acme/web`, connected by the form. Both use one clock. */
export async function connectGitHub(options: GitHubAccountOptions): Promise<GitHubAccount> {
  const { extractor, itemsPerPage = 50, repositories = '', limits = {}, signal, prepare, ...rest } = options
  let harness: ProviderHarness | undefined
  const now = (): number => harness?.now ?? Date.UTC(2026, 0, 1)
  const hub = await startGitHubEmulator({ now, ...rest })
  const web = hub.state.create('acme/web')
  prepare?.(hub)
  const clock = { now: () => new Date(now()) }
  const adapter = createGitHubAdapter({ apiUrl: hub.url, clock, extractor, itemsPerPage })
  const fields = { token: hub.token(), repositories }
  const { credentials, ...account } = await adapter.connect(fields, new AbortController().signal)
  const source = {
    account,
    accessToken: () => credentials.accessToken,
    extra: credentials.extra ?? {},
  }
  const sync = createProviderHarness({
    ...source,
    adapter: rest.isPublicHost ? asPublicHost(adapter, hub.url, { extractor, itemsPerPage, clock }) : adapter,
    limits,
    ...(signal && { signal }),
  })
  harness = sync
  const item = (end: string) =>
    [...sync.items.values()].find(({ externalId }) => externalId.endsWith(`/${end}`))
  const fresh = () => createProviderHarness({ ...source, adapter, clock: sync })
  return { hub, web, adapter, sync, fresh, item }
}

/** How the conformance suite changes issues: their text is a comment. */
export function changeIssues({
  hub: { state, faults },
  web,
}: Pick<GitHubAccount, 'hub' | 'web'>): Pick<
  ConnectedAccount,
  'add' | 'edit' | 'remove' | 'move' | 'break' | 'deform'
> {
  const wiki = state.create('acme/wiki')
  return {
    add(text) {
      const { number } = state.open(web, { title: 'A bug', body: 'Something is wrong:' })
      state.comment(web, number, { body: text })
      return String(number)
    },
    edit(number, text) {
      const [comment] = web.issues.get(Number(number))?.comments ?? []
      if (comment === undefined) throw new Error(`${number} has no comment`)
      state.editComment(comment, text)
    },
    remove: (number) => state.remove(web, Number(number)),
    move: (number) => void state.transfer(web, Number(number), wiki),
    break: (number) => faults.add({ path: `/issues/${number}/comments`, status: 500 }),
    deform: (number) => faults.add({ deforms: number }),
  }
}

/** Connects accounts that end with their test. */
export function createConnect(
  extractor: TextExtractor,
): (options?: Partial<GitHubAccountOptions>) => Promise<GitHubAccount> {
  return async (options = {}) => {
    const account = await connectGitHub({ extractor, ...options })
    onTestFinished(() => account.hub.close())
    return account
  }
}

function asPublicHost(
  adapter: FormAdapter,
  apiUrl: string,
  deps: { extractor: TextExtractor; itemsPerPage: number; clock: { now(): Date } },
): FormAdapter {
  const rest = createRest(restOptionsOf(apiUrl))
  return {
    ...adapter,
    ...readingFeed(async (session) => {
      const github = createGitHub(apiUrl, (request) => rest.send(session, request), deps.clock)
      return createGitHubFeed(
        { github, session, host: 'api.github.com', ...deps },
        async (all) => (await findRepositories(all, [])).found,
      )
    }),
  }
}
