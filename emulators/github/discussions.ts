import { connection, GraphQlError, Node } from './graphql.ts'
import { timeOf } from './json.ts'
import {
  type GitHubDiscussion,
  type GitHubDiscussionComment,
  type GitHubRepository,
  type GitHubState,
  nameOf,
} from './state.ts'

/** The part of GitHub's schema for discussions. `reads` is whether the token may read a repository's. */
export function discussionRoot(
  state: GitHubState,
  access: { sees(repository: GitHubRepository): boolean; reads(repository: GitHubRepository): boolean },
): Node {
  const takes = { repository: ['owner', 'name', 'followRenames'] }
  return new Node(
    'Query',
    {
      repository({ owner, name }) {
        const wanted = `${String(owner)}/${String(name)}`
        const found = state.find(wanted)?.repository
        if (found === undefined || !access.sees(found))
          throw new GraphQlError(`Could not resolve to a Repository with the name '${wanted}'.`, 'NOT_FOUND')
        return repositoryNode(found, access.reads(found))
      },
    },
    takes,
  )
}

function repositoryNode(repository: GitHubRepository, mayRead: boolean): Node {
  const refuse = (): void => {
    if (!mayRead) throw new GraphQlError('Resource not accessible by personal access token', 'FORBIDDEN')
  }
  return new Node(
    'Repository',
    {
      hasDiscussionsEnabled: () => repository.hasDiscussions,
      discussions(args) {
        refuse()
        const sorted = orderOf(args['orderBy'], repository)
        return connection('discussions', sorted, keyOf, (one) => discussionNode(repository, one))(args)
      },
      discussion({ number }) {
        refuse()
        const found = repository.discussions.get(Number(number))
        if (found === undefined)
          throw new GraphQlError(
            `Could not resolve to a Discussion with the number of ${String(number)}.`,
            'NOT_FOUND',
          )
        return discussionNode(repository, found)
      },
    },
    {
      discussions: ['first', 'after', 'orderBy', 'categoryId', 'answered', 'states'],
      discussion: ['number'],
    },
  )
}

/** The cursor's entry moves when its discussion changes; then the list starts over. */
const keyOf = ({ number, updatedAt }: GitHubDiscussion): string => `${updatedAt} ${number}`

function orderOf(order: unknown, { discussions }: GitHubRepository): GitHubDiscussion[] {
  const { field = 'UPDATED_AT', direction = 'DESC' }: { field?: unknown; direction?: unknown } = Object(order)
  if ((field !== 'UPDATED_AT' && field !== 'CREATED_AT') || (direction !== 'ASC' && direction !== 'DESC'))
    throw new GraphQlError(`Argument 'orderBy' on Field 'discussions' has an invalid value`)
  const sign = direction === 'ASC' ? 1 : -1
  const key = field === 'UPDATED_AT' ? 'updatedAt' : 'createdAt'
  return [...discussions.values()].toSorted(
    (one, other) => sign * (one[key] - other[key] || one.number - other.number),
  )
}

const actor = (login: string | null): Node | null =>
  login === null ? null : new Node('Actor', { login: () => login })

const named = (type: string, name: string): Node => new Node(type, { name: () => name })

function discussionNode(repository: GitHubRepository, discussion: GitHubDiscussion): Node {
  return new Node(
    'Discussion',
    {
      number: () => discussion.number,
      title: () => discussion.title,
      body: () => discussion.body,
      url: () => `https://github.example/${nameOf(repository)}/discussions/${discussion.number}`,
      createdAt: () => timeOf(discussion.createdAt),
      updatedAt: () => timeOf(discussion.updatedAt),
      closed: () => discussion.isClosed,
      author: () => actor(discussion.user),
      category: () => named('DiscussionCategory', discussion.category),
      labels: connection('labels', discussion.labels, String, (name) => named('Label', name)),
      comments: connection('comments', discussion.comments, ({ id }) => String(id), commentNode),
    },
    { labels: ['first', 'after'], comments: ['first', 'after'] },
  )
}

const commentFields = (one: Omit<GitHubDiscussionComment, 'replies'>) => ({
  author: () => actor(one.user),
  body: () => one.body,
  createdAt: () => timeOf(one.createdAt),
  isAnswer: () => one.isAnswer,
})

function commentNode(comment: GitHubDiscussionComment): Node {
  const replyNode = (reply: Omit<GitHubDiscussionComment, 'replies'>): Node =>
    new Node('DiscussionComment', commentFields(reply))
  return new Node(
    'DiscussionComment',
    {
      ...commentFields(comment),
      replies: connection('replies', comment.replies, ({ id }) => String(id), replyNode),
    },
    { replies: ['first', 'after'] },
  )
}
