import type { Graph, GraphPage } from '../shared/graph.ts'
import { DriveItem, isFolder, LISTED_FIELDS } from './drive-item.ts'

/** What a page of a drive's changes holds. */
export interface DriveChanges extends Pick<GraphPage<DriveItem>, 'unknown' | 'next' | 'delta'> {
  files: DriveItem[]
  folders: DriveItem[]
  gone: DriveItem[]
}

/** The first page of everything in a drive. */
export const firstPage = (drive: string, top: number): string =>
  `${deltaOf(drive)}?$select=${LISTED_FIELDS}&$top=${top}`

/** The position from which a drive's changes are reported. */
export async function latestLink(graph: Graph, drive: string, top: number): Promise<string> {
  const first = `${deltaOf(drive)}?token=latest&$select=${LISTED_FIELDS}&$top=${top}`
  for (let address: string | null = first; address !== null;) {
    const { next, delta }: GraphPage<DriveItem> = await graph.page(address, DriveItem)
    if (delta !== null) return delta
    address = next
  }
  return firstPage(drive, top)
}

const deltaOf = (drive: string): string => `drives/${encodeURIComponent(drive)}/root/delta`

/** A page of changes. An item may appear more than once, and the last time counts. */
export async function changesAt(graph: Graph, address: string): Promise<DriveChanges> {
  const { entries, ...rest } = await graph.page(address, DriveItem)
  const items = [...new Map(entries.map((item) => [item.id, item])).values()]
  const there = items.filter(({ deleted, root }) => deleted == null && root == null)
  return {
    files: there.filter((item) => !isFolder(item)),
    folders: there.filter(isFolder),
    gone: items.filter(({ deleted }) => deleted != null),
    ...rest,
  }
}
