import { z } from 'zod'
import { returnIf } from '../../adapter.ts'
import { mapBounded } from '../../map-bounded.ts'
import { type Graph, isClosed } from '../shared/graph.ts'

const AT_ONCE = 4
const DriveAnswer = z.object({
  id: z.string().min(1),
  name: z.string().nullish(),
  driveType: z.string().nullish(),
})
const Site = z.object({
  id: z.string().min(1),
  displayName: z.string().nullish(),
  webUrl: z.string().nullish(),
})

export interface Drive {
  id: string
  name: string
  /** Null for the account's own OneDrive. */
  site: { name: string; url: string } | null
}

export type Drives = ReadonlyMap<string, Drive>

/**
 * The account's OneDrive, and the document libraries of the sites that it follows
 * (https://learn.microsoft.com/graph/api/sites-list-followed). Personal accounts have no sites.
 */
export async function listDrives(graph: Graph): Promise<Drives> {
  const drives = new Map<string, Drive>()
  const own = await graph.find('me/drive?$select=id,name,driveType', DriveAnswer)
  if (own !== null) drives.set(own.id, { id: own.id, name: own.name ?? 'OneDrive', site: null })
  if (own?.driveType === 'personal') return drives
  const sites = await graph.all('me/followedSites?$select=id,displayName,webUrl', Site)
  const lists = await mapBounded(sites, AT_ONCE, (site) => librariesOf(graph, site))
  for (const drive of lists.flat()) if (!drives.has(drive.id)) drives.set(drive.id, drive)
  return drives
}

async function librariesOf(graph: Graph, site: z.output<typeof Site>): Promise<Drive[]> {
  const address = `sites/${encodeURIComponent(site.id)}/drives?$select=id,name`
  // The account may still follow a site that it can no longer open.
  const found = await graph.all(address, DriveAnswer).catch(returnIf(isClosed, []))
  const url = (site.webUrl ?? '').replace(/^https?:\/\//, '').replace(/\/+$/, '')
  return found.map(({ id, name }) => ({ id, name: name ?? id, site: { name: site.displayName || url, url } }))
}
