import {
  startNotionEmulator,
  type NotionEmulator,
  type NotionEmulatorOptions,
} from '../../emulators/notion/index.ts'
import { createNotionAdapter } from '../../src/providers/notion/adapter.ts'
import type { OAuthAdapter } from '../../src/providers/adapter.ts'
import { createProviderHarness, type HarnessOptions, type ProviderHarness } from './provider-harness.ts'

const NOW = Date.UTC(2026, 0, 20)
const open: NotionEmulator[] = []

export async function closeNotion(): Promise<void> {
  await Promise.all(open.splice(0).map((emulator) => emulator.close()))
}

export interface ConnectedNotion {
  notion: NotionEmulator
  sync: ProviderHarness
  adapter: OAuthAdapter
  /** The id of the first visible object whose title begins with this. */
  idOf: (title: string) => string
}

/** A small emulated workspace with a connected adapter; both use the harness's clock unless `now` is given. */
export async function connectNotion(
  options: NotionEmulatorOptions & { objectsPerPage?: number; harness?: Partial<HarnessOptions> } = {},
): Promise<ConnectedNotion> {
  const clock: { harness: ProviderHarness | null } = { harness: null }
  const notion = await startNotionEmulator({ now: () => clock.harness?.now ?? NOW, ...options })
  open.push(notion)
  const adapter = createNotionAdapter({
    clientId: notion.env['NOTION_CLIENT_ID'] ?? '',
    clientSecret: notion.env['NOTION_CLIENT_SECRET'] ?? '',
    apiUrl: notion.url,
    objectsPerPage: options.objectsPerPage ?? 20,
  })
  const grant = notion.grants.issue(notion.workspace.id, '')
  const sync = createProviderHarness({
    adapter,
    accessToken: () => grant.accessToken,
    account: { externalAccountId: notion.workspace.id, displayName: 'Acme' },
    now: NOW,
    ...options.harness,
  })
  clock.harness = sync
  const idOf = (title: string) => {
    const found = [...notion.state.objects.values()].find((object) => object.title.startsWith(title))
    if (!found) throw new Error(`nothing is called ${title}`)
    return found.id
  }
  return { notion, sync, adapter, idOf }
}

/** A fault's answer: an error in Notion's format. */
export function notionRefusal(
  status: number,
  code: string,
  message = code,
): { status: number; body: unknown } {
  return { status, body: { object: 'error', status, code, message } }
}

/** A fault's answer: a complete list. */
export function notionList(results: readonly unknown[]): { status: number; body: unknown } {
  return { status: 200, body: { object: 'list', results, next_cursor: null, has_more: false } }
}

/** Requests whose path ends like this. */
export function notionRequests(notion: NotionEmulator, ending: string): number {
  return Object.entries(notion.requests.byPath()).reduce(
    (sum, [path, count]) => sum + (path.endsWith(ending) ? count : 0),
    0,
  )
}

/** Differences between what is visible in the workspace and what is stored; empty when equal. */
export function notionDifferences(notion: NotionEmulator, sync: ProviderHarness): string[] {
  const visible = [...notion.state.objects.values()].filter((object) => notion.state.isVisible(object))
  const wrong = visible.flatMap((object) => {
    const item = sync.items.get(object.id)
    if (!item) return [`missing: ${object.title}`]
    const line = notion.state.contentOf(object).split('\n')[1] ?? ''
    return item.title === object.title && item.body.includes(line) ? [] : [`stale: ${object.title}`]
  })
  const ids = new Set(visible.map((object) => object.id))
  return [
    ...wrong,
    ...[...sync.items.values()].flatMap((item) =>
      ids.has(item.externalId) ? [] : [`left over: ${item.title}`],
    ),
  ]
}
