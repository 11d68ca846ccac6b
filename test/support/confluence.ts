import { onTestFinished } from 'vitest'
import {
  type ConfluenceEmulator,
  type ConfluenceEmulatorOptions,
  startConfluenceEmulator,
} from '../../emulators/confluence/index.ts'
import type { ConfluenceSpace } from '../../emulators/confluence/state.ts'
import type { TextExtractor } from '../../src/file-text/index.ts'
import { createConfluenceAdapter } from '../../src/providers/atlassian/confluence/adapter.ts'
import { connectSite, SITE, type SiteAccount, type SiteAccountOptions } from './atlassian.ts'

export { SITE } from './atlassian.ts'

export interface ConfluenceAccount extends SiteAccount {
  wiki: ConfluenceEmulator
  /** A space of everybody. */
  hr: ConfluenceSpace
}

export interface ConfluenceAccountOptions extends ConfluenceEmulatorOptions, SiteAccountOptions {
  extractor: TextExtractor
  itemsPerPage?: number
  /** The value of the spaces field. */
  spaces?: string
  prepare?(wiki: ConfluenceEmulator): void
}

/** An emulated site with the space HR, connected by the form. Both use one clock. */
export async function connectConfluence(options: ConfluenceAccountOptions): Promise<ConfluenceAccount> {
  const { extractor, itemsPerPage = 50, spaces = '', prepare } = options
  return await connectSite(options, async (clock) => {
    const wiki = await startConfluenceEmulator({ ...options, now: () => clock.now().getTime() })
    const hr = wiki.state.createSpace('HR')
    prepare?.(wiki)
    const adapter = createConfluenceAdapter({ apiUrl: wiki.url, clock, extractor, itemsPerPage })
    const fields = { site: SITE, email: wiki.email, token: wiki.token(), spaces }
    return { adapter, fields, more: { wiki, hr } }
  })
}

/** Connects accounts that end with their test. */
export function createConnect(
  extractor: TextExtractor,
): (options?: Partial<ConfluenceAccountOptions>) => Promise<ConfluenceAccount> {
  return async (options = {}) => {
    const account = await connectConfluence({ extractor, ...options })
    onTestFinished(() => account.wiki.close())
    return account
  }
}
