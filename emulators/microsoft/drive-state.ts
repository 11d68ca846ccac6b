export interface Grant {
  roles?: string[]
  /** A person's short name. */
  user?: string
  group?: { id: string; displayName: string; email?: string }
  siteGroup?: string
  /** Everyone except external users, whom SharePoint shows as a user of the site. */
  isForAll?: true
  link?: 'anonymous' | 'organization' | 'users' | 'existingAccess'
  /** What the link allows; `view` by default. */
  linkType?: 'view' | 'createOnly'
  /** The people of a link, by short names. */
  people?: string[]
  /** The person who was invited but has not signed in yet. */
  invited?: string
  expirationDateTime?: string
  hasPassword?: boolean
}

export interface EmulatedItem {
  id: string
  driveId: string
  kind: 'root' | 'folder' | 'file' | 'package' | 'shortcut'
  name: string
  parentId: string | null
  mimeType: string
  content: string
  createdAt: number
  changedAt: number
  createdBy: string
  /** Its own permissions, in addition to its parents'. */
  grants: Grant[]
  /** Whether it has only its own permissions. */
  isUnique: boolean
  isDeleted: boolean
  /** Whether the account may no longer open it. */
  isHidden: boolean
  /** Its position in the change log. */
  sequence: number
  /** Fields returned in an undocumented format. */
  odd: Record<string, unknown>
}

export interface EmulatedDrive {
  id: string
  name: string
  siteId: string | null
  rootId: string
  /** Whether the account owns its items, and so sees every permission. */
  isOwned: boolean
  /** Delta tokens before this have expired. */
  oldest: number
}

export interface EmulatedSite {
  id: string
  displayName: string
  webUrl: string
  isFollowed: boolean
  isClosed: boolean
}

/** The drives of a tenant, as one account sees them. */
export class DriveState {
  readonly drives = new Map<string, EmulatedDrive>()
  readonly sites = new Map<string, EmulatedSite>()
  readonly items = new Map<string, EmulatedItem>()
  readonly #now: () => number
  #sequence = 0
  #lastId = 0

  constructor(now: () => number) {
    this.#now = now
  }

  get sequence(): number {
    return this.#sequence
  }

  createSite(name: string): EmulatedSite {
    const id = `acme.sharepoint.example,${name}-0001,${name}-0002`
    const webUrl = `https://acme.sharepoint.example/sites/${name}`
    const site = { id, displayName: `The ${name} site`, webUrl, isFollowed: true, isClosed: false }
    this.sites.set(id, site)
    return site
  }

  createDrive(name: string, site: EmulatedSite | null, grants: Grant[]): EmulatedDrive {
    const id = `b!${name}-${this.drives.size + 1}`
    const drive = { id, name, siteId: site?.id ?? null, rootId: '', isOwned: site === null, oldest: 0 }
    this.drives.set(id, drive)
    drive.rootId = this.#create(id, { kind: 'root', name: 'root', grants }).id
    return drive
  }

  #create(driveId: string, more: Partial<EmulatedItem>): EmulatedItem {
    this.#lastId += 1
    const item: EmulatedItem = {
      id: `01ITEM${String(this.#lastId).padStart(8, '0')}`,
      driveId,
      kind: 'file',
      name: `File ${this.#lastId}.txt`,
      parentId: this.drives.get(driveId)?.rootId || null,
      mimeType: 'text/plain',
      content: 'Some text.',
      createdAt: this.#now(),
      changedAt: this.#now(),
      createdBy: 'ada',
      grants: [],
      isUnique: false,
      isDeleted: false,
      isHidden: false,
      sequence: (this.#sequence += 1),
      odd: {},
      ...more,
    }
    this.items.set(item.id, item)
    return item
  }

  add(drive: EmulatedDrive, more: Partial<EmulatedItem> = {}): EmulatedItem {
    return this.#create(drive.id, more)
  }

  folder(drive: EmulatedDrive, name: string, more: Partial<EmulatedItem> = {}): EmulatedItem {
    return this.#create(drive.id, { kind: 'folder', name, ...more })
  }

  edit(item: EmulatedItem, change: Partial<Pick<EmulatedItem, 'name' | 'content' | 'mimeType'>>): void {
    Object.assign(item, change, { changedAt: this.#now(), sequence: (this.#sequence += 1) })
  }

  /** Its descendants move along and are not reported. */
  move(item: EmulatedItem, folder: EmulatedItem): void {
    if (item.driveId !== folder.driveId || this.chainOf(folder).includes(item)) return
    item.parentId = folder.id
    item.sequence = this.#sequence += 1
  }

  /** Its descendants are also deleted and not reported. */
  remove(item: EmulatedItem): void {
    item.isDeleted = true
    item.sequence = this.#sequence += 1
  }

  restore(item: EmulatedItem): void {
    item.isDeleted = false
    item.sequence = this.#sequence += 1
  }

  /** The account can no longer open it: reported as a deletion. */
  hide(item: EmulatedItem, isHidden = true): void {
    item.isHidden = isHidden
    item.sequence = this.#sequence += 1
  }

  /** Reported only on request, because Graph need not report what does not concern the account. */
  share(item: EmulatedItem, change: Partial<Pick<EmulatedItem, 'grants' | 'isUnique'>>, isReported = false) {
    Object.assign(item, change)
    if (isReported) item.sequence = this.#sequence += 1
  }

  expireTokens(drive: EmulatedDrive): void {
    drive.oldest = this.#sequence += 1
  }

  /** An item and its ancestors. */
  chainOf(item: EmulatedItem): EmulatedItem[] {
    const chain: EmulatedItem[] = []
    for (let at: EmulatedItem | undefined = item; at !== undefined && !chain.includes(at);) {
      chain.push(at)
      at = this.items.get(at.parentId ?? '')
    }
    return chain
  }

  /** Whether the account can open it. */
  isThere(item: EmulatedItem): boolean {
    return this.chainOf(item).every(({ isDeleted, isHidden }) => !isDeleted && !isHidden)
  }

  /** The permissions of an item, including inherited ones. */
  grantsOf(item: EmulatedItem): Grant[] {
    const grants: Grant[] = []
    for (const one of this.chainOf(item)) {
      grants.push(...one.grants)
      if (one.isUnique) break
    }
    return grants
  }
}
