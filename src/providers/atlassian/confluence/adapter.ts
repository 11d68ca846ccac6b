import pLimit from 'p-limit'
import { positionIn, readFeedItem, readingFeed } from '../../feed.ts'
import { createFormConnection } from '../../form.ts'
import type { FormAdapter, ProviderSession } from '../../adapter.ts'
import { prefixOf } from '../shared/feed.ts'
import { emptyPosition, Position } from '../shared/position.ts'
import { createSites, requireFound, type SiteOptions } from '../shared/site.ts'
import { createConfluence, NAME } from './client.ts'
import { type ConfluenceRun, createConfluenceFeed, readAlone } from './feed.ts'
import { ConfluenceChoice, confluenceForm } from './form.ts'
import { listPageReaders } from './readers.ts'
import { findSpaces } from './spaces.ts'
import { surveySite } from './survey.ts'

/** Reads the pages of a Confluence Cloud site with an account's email and API token. */
export function createConfluenceAdapter(options: SiteOptions): FormAdapter {
  const { extractor, itemsPerPage = 50 } = options
  const sites = createSites({ name: NAME, open: createConfluence }, options)
  async function openRun(session: ProviderSession): Promise<ConfluenceRun> {
    const choice = ConfluenceChoice.parse(session.extra)
    const confluence = await sites.open(session, choice)
    return {
      confluence,
      session,
      extractor,
      itemsPerPage,
      site: choice.site,
      spaces: choice.spaces,
      people: new Map(),
      oneAttachment: pLimit(1),
    }
  }
  return {
    provider: 'confluence',
    ...createFormConnection(confluenceForm, ({ spaces, ...login }, signal) =>
      sites.connect(login, signal, async (confluence) => {
        requireFound(NAME, 'space', await findSpaces(confluence, spaces))
        return { spaces }
      }),
    ),
    ...readingFeed(async (session) => createConfluenceFeed(await openRun(session))),
    async readItem(session, { externalId }) {
      const run = await openRun(session)
      return await readFeedItem({ read: (id) => readAlone(run, id) }, externalId)
    },
    async *listPermissions(session, { cursor }) {
      const { confluence, site, spaces: named } = await openRun(session)
      const prefix = prefixOf(site)
      const { found: spaces } = await findSpaces(confluence, named)
      const survey = await surveySite({ confluence, session, spaces, prefix, withParts: false })
      const position = positionIn(cursor, Position) ?? emptyPosition()
      return yield* listPageReaders(confluence, survey, spaces.keys(), { position, prefix })
    },
  }
}
