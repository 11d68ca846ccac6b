import { z } from 'zod'

const time = z.iso.datetime({ offset: true })
const facet = z.looseObject({}).nullish()
const By = z
  .object({
    user: z.object({ displayName: z.string().nullish(), email: z.string().nullish() }).nullish(),
  })
  .nullish()

/** https://learn.microsoft.com/graph/api/resources/driveitem */
export const DriveItem = z.object({
  id: z.string().min(1),
  name: z.string().nullish(),
  size: z.number().nullish(),
  webUrl: z.string().nullish(),
  createdDateTime: time.nullish(),
  lastModifiedDateTime: time.nullish(),
  createdBy: By,
  parentReference: z.object({ id: z.string().nullish(), path: z.string().nullish() }).nullish(),
  file: z.object({ mimeType: z.string().nullish() }).nullish(),
  folder: facet,
  package: z.object({ type: z.string().nullish() }).nullish(),
  remoteItem: facet,
  malware: facet,
  root: facet,
  deleted: facet,
  '@microsoft.graph.downloadUrl': z.string().nullish(),
})
export type DriveItem = z.output<typeof DriveItem>

/** An item's fields in a list. */
export const LISTED_FIELDS =
  'id,name,size,parentReference,file,folder,package,remoteItem,malware,root,deleted'
export const READ_FIELDS = `${LISTED_FIELDS},webUrl,createdDateTime,lastModifiedDateTime,createdBy,@microsoft.graph.downloadUrl`

/** Item ids are unique in a drive, and drive ids everywhere. */
export const itemId = (drive: string, item: string): string => `${drive}/${item}`

/** The path of an item below `/v1.0/`. */
export function pathOf(externalId: string): string {
  const at = externalId.indexOf('/')
  const [drive, item] = [externalId.slice(0, at), externalId.slice(at + 1)].map(encodeURIComponent)
  return `drives/${drive}/items/${item}`
}

/** Whether it has no text: packages are also folders, and shortcuts may be. */
export const isFolder = (item: DriveItem): boolean =>
  item.folder != null && item.package == null && item.remoteItem == null
