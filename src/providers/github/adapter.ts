import { readingFeed } from '../feed.ts'
import { createFormConnection, formFault } from '../form.ts'
import { z } from 'zod'
import { type FormAdapter, ProviderError, type ProviderSession, type SourceReader } from '../adapter.ts'
import type { AdapterDependencies } from '../provider.ts'
import { createRest, type RestRequest, sendWithToken } from '../rest.ts'
import { createGitHub, type GitHub, restOptionsOf } from './client.ts'
import { createGitHubFeed, type FindRepositories } from './feed.ts'
import { GitHubChoice, githubForm } from './form.ts'
import { findRepositories } from './repositories.ts'

export const GITHUB_API_URL = 'https://api.github.com'

const User = z.object({ id: z.int(), login: z.string() })

export interface GitHubAdapterOptions extends AdapterDependencies {
  /** {@link GITHUB_API_URL}, or its replacement. */
  apiUrl: string
  /** Issues or files per page; 50 by default. */
  itemsPerPage?: number
}

/** Reads issues, pull requests and Markdown files with a personal access token. */
export function createGitHubAdapter(options: GitHubAdapterOptions): FormAdapter {
  const { clock } = options
  const { apiUrl, host } = serverOf(options.apiUrl)
  return {
    provider: 'github',
    ...createFormConnection(githubForm, async ({ token, repositories }, signal) => {
      const send = (request: RestRequest) =>
        sendWithToken(request, token, restOptionsOf(apiUrl), { signal, now: clock.now() })
      const github = createGitHub(apiUrl, send, clock)
      const { id, login } = await ownerOf(github)
      const { found, missing } = await findRepositories(github, repositories)
      if (missing.length > 0)
        throw formFault(
          'repositories',
          `GitHub has no repository ${missing.join(', ')} that the token can read`,
        )
      if (found.size === 0) throw formFault('repositories', 'The token can read no such repository')
      return {
        externalAccountId: `${host}/${id}`,
        displayName: login,
        accessToken: token,
        extra: { repositories },
      }
    }),
    ...createGitHubReader(options, (session) => {
      const { repositories } = GitHubChoice.parse(session.extra)
      return async (github) => (await findRepositories(github, repositories)).found
    }),
  }
}

/** The reading part of an adapter, given how it finds the repositories of a source. */
export function createGitHubReader(
  options: GitHubAdapterOptions,
  findOf: (session: ProviderSession) => FindRepositories,
): Required<Pick<SourceReader, 'listChanges' | 'readItem'>> {
  const { clock, extractor, itemsPerPage = 50 } = options
  const { apiUrl, host } = serverOf(options.apiUrl)
  const rest = createRest(restOptionsOf(apiUrl))
  return readingFeed(async (session) => {
    const github = createGitHub(apiUrl, (request) => rest.send(session, request), clock)
    return createGitHubFeed({ github, session, extractor, itemsPerPage, host }, findOf(session))
  })
}

/** The API's address as requests use it, and its host, which is in every id. */
export function serverOf(address: string): { apiUrl: string; host: string } {
  const { href, host } = new URL(address)
  return { apiUrl: href.replace(/\/+$/, ''), host }
}

/** The token's user. A token that GitHub refuses is reported as an error in the form. */
async function ownerOf(github: GitHub): Promise<z.output<typeof User>> {
  try {
    return await github.get('user', User)
  } catch (error) {
    if (!(error instanceof ProviderError) || error.kind !== 'auth') throw error
    throw formFault('token', `GitHub refuses the token (${error.message})`)
  }
}
