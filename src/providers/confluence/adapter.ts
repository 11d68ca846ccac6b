import {
  AddressNotAllowed,
  isPublicAddress,
  type Resolve,
  systemResolve,
} from '../../guarded-requests/addresses.ts'
import { createGuardedFetch } from '../../guarded-requests/guarded-fetch.ts'
import { createOpenRequest } from '../../guarded-requests/guarded-request.ts'
import type { TextExtractor } from '../../file-text/index.ts'
import type { Clock } from '../../kernel/clock.ts'
import { readFeed, readFeedItem } from '../feed.ts'
import { createFormConnection, formFault } from '../form.ts'
import { type FormAdapter, ProviderError, type ProviderSession } from '../provider.ts'
import { createRest, sendRequest, withToken } from '../rest.ts'
import { type Confluence, createConfluence, restOptionsOf } from './client.ts'
import { type ConfluenceRun, createConfluenceFeed, prefixOf, readAlone } from './feed.ts'
import { ConfluenceChoice, confluenceForm } from './form.ts'
import { emptyPosition, PositionInCursor } from './position.ts'
import { listReaders } from './readers.ts'
import { findSpaces } from './spaces.ts'
import { surveySite } from './survey.ts'

/** A user waits. */
const CONNECT_TIMEOUT_MS = 10_000
const ANSWER_BYTES_MAX = 8 * 1024 * 1024

export interface ConfluenceAdapterOptions {
  /** Replaces the address of every site; null: each has its own. */
  apiUrl: string | null
  clock: Clock
  extractor: TextExtractor
  /** Pages per page of a run; 50 by default. */
  itemsPerPage?: number
  /** For tests: how names are resolved, and which addresses may be connected to; only public ones by default. */
  resolve?: Resolve
  isAllowed?: (address: string) => boolean
}

/** Reads the pages of a Confluence Cloud site with an account's email and API token. */
export function createConfluenceAdapter(options: ConfluenceAdapterOptions): FormAdapter {
  const { apiUrl, clock, extractor, itemsPerPage = 50 } = options
  const open = createOpenRequest(options.resolve ?? systemResolve, options.isAllowed ?? isPublicAddress)
  // The operator vouches for the address of a gateway.
  const restOptions = restOptionsOf(apiUrl === null ? createGuardedFetch(open) : null)
  const rest = createRest(restOptions)
  const baseOf = (site: string): string => new URL(apiUrl ?? site).href.replace(/\/+$/, '')
  const openRun = (session: ProviderSession): ConfluenceRun & { accountId: string } => {
    const { site, spaces, accountId } = ConfluenceChoice.parse(session.extra)
    const confluence = createConfluence(baseOf(site), (request) => rest.send(session, request))
    return { confluence, session, extractor, itemsPerPage, site, spaces, accountId }
  }
  return {
    provider: 'confluence',
    ...createFormConnection(confluenceForm, async ({ site, email, token, spaces }, signal) => {
      const accessToken = Buffer.from(`${email}:${token}`).toString('base64')
      const limits = { timeoutMs: CONNECT_TIMEOUT_MS, bytesMax: ANSWER_BYTES_MAX, signal }
      const confluence = createConfluence(baseOf(site), (request) =>
        sendRequest(withToken(request, accessToken, restOptions), restOptions, {
          ...limits,
          now: clock.now(),
        }),
      )
      const accountId = await accountOf(confluence)
      const { found, missing } = await findSpaces(confluence, spaces)
      if (missing.length > 0)
        throw fault('spaces', `Confluence has no space ${missing.join(', ')} that the account reads`)
      if (found.size === 0) throw fault('spaces', 'The account reads no space')
      const { host } = new URL(site)
      return {
        externalAccountId: `${host}/${accountId}`,
        displayName: host,
        credentials: {
          accessToken,
          refreshToken: null,
          expiresAt: null,
          scopes: [],
          extra: { site, accountId, spaces },
        },
      }
    }),
    async *listChanges(session, input) {
      const run = openRun(session)
      await expectAccount(run)
      yield* readFeed(session, input, createConfluenceFeed(run))
    },
    async readItem(session, { externalId }) {
      const run = openRun(session)
      await expectAccount(run)
      return await readFeedItem({ read: (id) => readAlone(run, id) }, externalId)
    },
    async *listPermissions(session, { cursor }) {
      const run = openRun(session)
      await expectAccount(run)
      const { confluence, site } = run
      const prefix = prefixOf(site)
      const { found: spaces } = await findSpaces(confluence, run.spaces)
      const survey = await surveySite({ confluence, session, spaces, prefix, withComments: false })
      const position = PositionInCursor.safeParse(cursor).data ?? emptyPosition()
      return yield* listReaders(confluence, survey, spaces.keys(), { position, prefix })
    },
  }
}

/** Without it, a refused token could make Confluence answer with the few pages that everybody reads. */
async function expectAccount({
  confluence,
  accountId,
}: ConfluenceRun & { accountId: string }): Promise<void> {
  if ((await confluence.accountId()) !== accountId)
    throw new ProviderError('auth', 'The API token belongs to another account now', { code: '401' })
}

/** Whose token it is. What the site refuses is a mistake of the form. */
async function accountOf(confluence: Confluence): Promise<string> {
  try {
    return await confluence.accountId()
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    if (error.cause instanceof AddressNotAllowed) throw fault('site', 'site must be at a public address')
    if (error.kind === 'auth') throw fault('token', error.message)
    if (error.code === '404') throw fault('site', 'There is no Confluence at this address')
    throw error
  }
}

const fault = (path: string, message: string) => formFault([{ path, message }])
