import { createHash } from 'node:crypto'

export interface GitHubComment {
  id: number
  user: string
  body: string
  createdAt: number
  updatedAt: number
  /** The file that a review comment is about. */
  path?: string
}

export interface GitHubReview {
  id: number
  user: string
  body: string
  state: 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED' | 'PENDING'
  submittedAt: number | null
}

export interface GitHubIssue {
  id: number
  number: number
  title: string
  body: string | null
  user: string | null
  state: 'open' | 'closed'
  labels: string[]
  createdAt: number
  updatedAt: number
  comments: GitHubComment[]
  /** Only for pull requests. */
  pull?: { mergedAt: number | null; reviews: GitHubReview[]; comments: GitHubComment[] }
}

export interface GitHubDiscussionComment {
  id: number
  user: string | null
  body: string
  createdAt: number
  isAnswer: boolean
  replies: Omit<GitHubDiscussionComment, 'replies'>[]
}

export interface GitHubDiscussion {
  number: number
  title: string
  body: string
  user: string | null
  category: string
  labels: string[]
  isClosed: boolean
  createdAt: number
  updatedAt: number
  comments: GitHubDiscussionComment[]
}

export interface GitHubRepository {
  id: number
  owner: string
  name: string
  isPrivate: boolean
  branch: string
  issues: Map<number, GitHubIssue>
  /** The new places of transferred issues. */
  moved: Map<number, { repository: GitHubRepository; number: number }>
  deleted: Set<number>
  hasDiscussions: boolean
  discussions: Map<number, GitHubDiscussion>
  /** For issues and discussions. */
  lastNumber: number
  files: Map<string, { content: string; changedAt: number; by: string; mode: string }>
}

export interface TreeEntry {
  path: string
  mode: string
  type: 'blob' | 'tree' | 'commit'
  sha: string
  size?: number
}

/** The repositories of an account, with git's objects. */
export class GitHubState {
  readonly repositories = new Map<number, GitHubRepository>()
  readonly blobs = new Map<string, string>()
  readonly trees = new Map<string, TreeEntry[]>()
  /** Former names of repositories, as `owner/name`. */
  readonly #formerNames = new Map<string, GitHubRepository>()
  readonly #now: () => number
  #lastId = 1_000

  constructor(now: () => number) {
    this.#now = now
  }

  #nextId(): number {
    return (this.#lastId += 1)
  }

  find(name: string): { repository: GitHubRepository; isFormer: boolean } | null {
    const wanted = name.toLowerCase()
    for (const repository of this.repositories.values())
      if (nameOf(repository).toLowerCase() === wanted) return { repository, isFormer: false }
    const former = this.#formerNames.get(wanted)
    return former && this.repositories.has(former.id) ? { repository: former, isFormer: true } : null
  }

  create(name: string): GitHubRepository {
    const [owner = '', short = ''] = name.split('/')
    const repository: GitHubRepository = {
      id: this.#nextId(),
      owner,
      name: short,
      isPrivate: true,
      branch: 'main',
      issues: new Map(),
      moved: new Map(),
      deleted: new Set(),
      hasDiscussions: false,
      discussions: new Map(),
      lastNumber: 0,
      files: new Map(),
    }
    this.repositories.set(repository.id, repository)
    return repository
  }

  rename(repository: GitHubRepository, name: string): void {
    this.#formerNames.set(nameOf(repository).toLowerCase(), repository)
    const [owner = '', short = ''] = name.split('/')
    Object.assign(repository, { owner, name: short })
  }

  open(repository: GitHubRepository, issue: Partial<GitHubIssue> = {}): GitHubIssue {
    repository.lastNumber += 1
    const opened: GitHubIssue = {
      id: this.#nextId(),
      number: repository.lastNumber,
      title: 'An issue',
      body: null,
      user: 'ada',
      state: 'open',
      labels: [],
      createdAt: this.#now(),
      updatedAt: this.#now(),
      comments: [],
      ...issue,
    }
    repository.issues.set(opened.number, opened)
    return opened
  }

  change(repository: GitHubRepository, number: number, change: Partial<GitHubIssue>): void {
    Object.assign(issueOf(repository, number), { updatedAt: this.#now() }, change)
  }

  comment(repository: GitHubRepository, number: number, comment: Partial<GitHubComment>): GitHubComment {
    const issue = issueOf(repository, number)
    const at = this.#now()
    const said = { id: this.#nextId(), user: 'bob', body: '', createdAt: at, updatedAt: at, ...comment }
    const list = said.path === undefined ? issue.comments : issue.pull?.comments
    if (list === undefined) throw new Error(`${number} is not a pull request`)
    list.push(said)
    issue.updatedAt = at
    return said
  }

  /** The time of the issue stays: GitHub does not document that an edit changes it. */
  editComment(comment: GitHubComment, body: string): void {
    Object.assign(comment, { body, updatedAt: this.#now() })
  }

  remove(repository: GitHubRepository, number: number): void {
    repository.issues.delete(number)
    repository.deleted.add(number)
  }

  transfer(from: GitHubRepository, number: number, to: GitHubRepository): GitHubIssue {
    const issue = issueOf(from, number)
    from.issues.delete(number)
    to.lastNumber += 1
    const moved = { ...issue, number: to.lastNumber, updatedAt: this.#now() }
    to.issues.set(moved.number, moved)
    from.moved.set(number, { repository: to, number: moved.number })
    return moved
  }

  discuss(repository: GitHubRepository, discussion: Partial<GitHubDiscussion> = {}): GitHubDiscussion {
    repository.hasDiscussions = true
    repository.lastNumber += 1
    const opened: GitHubDiscussion = {
      number: repository.lastNumber,
      title: 'A discussion',
      body: '',
      user: 'ada',
      category: 'General',
      labels: [],
      isClosed: false,
      createdAt: this.#now(),
      updatedAt: this.#now(),
      comments: [],
      ...discussion,
    }
    repository.discussions.set(opened.number, opened)
    return opened
  }

  changeDiscussion(discussion: GitHubDiscussion, change: Partial<GitHubDiscussion>): void {
    Object.assign(discussion, { updatedAt: this.#now() }, change)
  }

  /** A comment, or the reply to one. */
  answer(
    discussion: GitHubDiscussion,
    comment: Partial<GitHubDiscussionComment> = {},
    to?: GitHubDiscussionComment,
  ): GitHubDiscussionComment {
    const at = this.#now()
    const said = {
      id: this.#nextId(),
      user: 'bob',
      body: '',
      createdAt: at,
      isAnswer: false,
      replies: [],
      ...comment,
    }
    ;(to?.replies ?? discussion.comments).push(said)
    discussion.updatedAt = at
    return said
  }

  write(repository: GitHubRepository, path: string, content: string, mode = '100644'): void {
    repository.files.set(path, { content, changedAt: this.#now(), by: 'ada', mode })
  }

  /** Writes the trees of the current files; returns the root's. Git has no empty folders. */
  writeTree({ files }: Pick<GitHubRepository, 'files'>, prefix = ''): string {
    const entries = new Map<string, TreeEntry>()
    for (const [path, { content, mode }] of files) {
      if (!path.startsWith(prefix)) continue
      const [name = '', ...below] = path.slice(prefix.length).split('/')
      if (entries.has(name)) continue
      if (below.length > 0) {
        const sha = this.writeTree({ files }, `${prefix}${name}/`)
        entries.set(name, { path: name, mode: '040000', type: 'tree', sha })
        continue
      }
      const sha = shaOf('blob', content)
      this.blobs.set(sha, content)
      entries.set(name, { path: name, mode, type: 'blob', sha, size: Buffer.byteLength(content) })
    }
    const list = [...entries.values()].toSorted((one, other) => (one.path < other.path ? -1 : 1))
    const sha = shaOf('tree', list.map((entry) => JSON.stringify(entry)).join('\n'))
    this.trees.set(sha, list)
    return sha
  }
}

export const nameOf = ({ owner, name }: GitHubRepository): string => `${owner}/${name}`

const shaOf = (kind: 'blob' | 'tree', content: string): string =>
  createHash('sha1')
    .update(`${kind} ${Buffer.byteLength(content)}\0${content}`)
    .digest('hex')

function issueOf({ issues }: GitHubRepository, number: number): GitHubIssue {
  const issue = issues.get(number)
  if (issue === undefined) throw new Error(`there is no issue ${number}`)
  return issue
}
