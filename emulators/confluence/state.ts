import { SiteState } from '../kit/atlassian-state.ts'

export interface ConfluenceSpace {
  id: string
  key: string
  name: string
  type: 'global' | 'personal'
  status: 'current' | 'archived'
  /** Who may read it. */
  readers: { type: 'user' | 'group' | 'role'; id: string }[]
}

/** A page, a blog post, which has no parent, or a folder, which has only a title. */
export interface ConfluenceContent {
  id: string
  type: 'page' | 'blogpost' | 'folder'
  status: 'current' | 'archived' | 'trashed'
  title: string
  spaceId: string
  parentId: string | null
  authorId: string
  createdAt: number
  changedAt: number
  version: number
  body: string
  labels: string[]
  /** Who may read it among its parent's readers; null: all of them. */
  restriction: { users: string[]; groups: string[] } | null
}

export interface ConfluenceComment {
  id: string
  kind: 'footer' | 'inline'
  pageId: string
  parentId: string | null
  authorId: string
  changedAt: number
  version: number
  body: string
  selection: string
}

export interface ConfluenceAttachment {
  /** `att` and a number. */
  id: string
  pageId: string
  name: string
  mediaType: string
  content: Buffer
  version: number
  authorId: string
  changedAt: number
}

/** The content of a site. */
export class ConfluenceState extends SiteState {
  readonly spaces = new Map<string, ConfluenceSpace>()
  readonly contents = new Map<string, ConfluenceContent>()
  readonly comments = new Map<string, ConfluenceComment>()
  readonly attachments = new Map<string, ConfluenceAttachment>()

  constructor(now: () => number) {
    super(now, 98_300)
  }

  createSpace(key: string, more: Partial<ConfluenceSpace> = {}): ConfluenceSpace {
    const space: ConfluenceSpace = {
      id: this.nextId(),
      key,
      name: `The ${key} space`,
      type: key.startsWith('~') ? 'personal' : 'global',
      status: 'current',
      readers: [{ type: 'group', id: 'staff' }],
      ...more,
    }
    this.spaces.set(space.id, space)
    return space
  }

  add(space: ConfluenceSpace, more: Partial<ConfluenceContent> = {}): ConfluenceContent {
    const id = this.nextId()
    const content: ConfluenceContent = {
      id,
      type: 'page',
      status: 'current',
      title: `Page ${id}`,
      spaceId: space.id,
      parentId: null,
      authorId: 'ada',
      createdAt: this.now(),
      changedAt: this.now(),
      version: 1,
      body: '<p>Some text.</p>',
      labels: [],
      restriction: null,
      ...more,
    }
    this.contents.set(id, content)
    return content
  }

  edit(content: ConfluenceContent, change: Partial<Pick<ConfluenceContent, 'title' | 'body'>>): void {
    Object.assign(content, change, { version: content.version + 1, changedAt: this.now() })
  }

  /** Moving a page changes neither its version and time nor those of its descendants. */
  move(content: ConfluenceContent, to: { parent?: ConfluenceContent; space?: ConfluenceSpace }): void {
    const { parent } = to
    // A blog post has no parent and no children.
    if (parent !== undefined && (parent.type === 'blogpost' || content.type === 'blogpost')) return
    if (parent !== undefined && this.chainOf(parent).includes(content)) return
    content.parentId = parent?.id ?? null
    const spaceId = parent?.spaceId ?? to.space?.id ?? content.spaceId
    for (const below of this.contents.values())
      if (this.chainOf(below).includes(content)) below.spaceId = spaceId
  }

  /** Its children move up. */
  trash(content: ConfluenceContent): void {
    for (const below of this.contents.values())
      if (below.parentId === content.id) below.parentId = content.parentId
    content.status = 'trashed'
  }

  /** Its children stay and remain current. */
  archive(content: ConfluenceContent): void {
    if (content.type !== 'blogpost') content.status = 'archived'
  }

  restore(content: ConfluenceContent): void {
    content.status = 'current'
    const parent = this.contents.get(content.parentId ?? '')
    if (parent?.status !== 'current') content.parentId = null
    else content.spaceId = parent.spaceId
  }

  comment(page: ConfluenceContent, more: Partial<ConfluenceComment> = {}): ConfluenceComment {
    const comment: ConfluenceComment = {
      id: this.nextId(),
      kind: 'footer',
      pageId: page.id,
      parentId: null,
      authorId: 'bob',
      changedAt: this.now(),
      version: 1,
      body: '<p>A comment.</p>',
      selection: '',
      ...more,
    }
    this.comments.set(comment.id, comment)
    return comment
  }

  attach(
    page: ConfluenceContent,
    {
      name,
      content,
      mediaType = 'text/plain',
    }: { name: string; content: string | Buffer; mediaType?: string },
  ): ConfluenceAttachment {
    const attachment: ConfluenceAttachment = {
      id: `att${this.nextId()}`,
      pageId: page.id,
      name,
      mediaType,
      content: Buffer.from(content),
      version: 1,
      authorId: 'ada',
      changedAt: this.now(),
    }
    this.attachments.set(attachment.id, attachment)
    return attachment
  }

  replaceAttachment(attachment: ConfluenceAttachment, content: string): void {
    Object.assign(attachment, { content: Buffer.from(content), version: attachment.version + 1 })
  }

  editComment(comment: ConfluenceComment, body: string): void {
    Object.assign(comment, { body, version: comment.version + 1, changedAt: this.now() })
  }

  /** Its replies move to its parent comment. */
  removeComment(comment: ConfluenceComment): void {
    this.comments.delete(comment.id)
    for (const reply of this.comments.values())
      if (reply.parentId === comment.id) reply.parentId = comment.parentId
  }

  removeSpace(space: ConfluenceSpace): void {
    this.spaces.delete(space.id)
    for (const { id, spaceId } of this.contents.values()) if (spaceId === space.id) this.contents.delete(id)
  }

  /** A page or folder and its ancestors. */
  chainOf(content: ConfluenceContent): ConfluenceContent[] {
    const chain: ConfluenceContent[] = []
    for (let at: ConfluenceContent | undefined = content; at !== undefined && !chain.includes(at);) {
      chain.push(at)
      at = this.contents.get(at.parentId ?? '')
    }
    return chain
  }

  readsSpace(accountId: string, space: ConfluenceSpace): boolean {
    return space.readers.some(({ type, id }) =>
      type === 'user' ? id === accountId : type === 'group' && this.isMember(accountId, id),
    )
  }

  /** Whether a person may read a page: its space, and every restriction on it and its ancestors, must allow it. */
  reads(accountId: string, content: ConfluenceContent): boolean {
    const space = this.spaces.get(content.spaceId)
    if (space === undefined || !this.readsSpace(accountId, space)) return false
    return this.chainOf(content).every(({ restriction }) => {
      if (restriction === null) return true
      const { users, groups } = restriction
      return users.includes(accountId) || groups.some((id) => this.isMember(accountId, id))
    })
  }
}
