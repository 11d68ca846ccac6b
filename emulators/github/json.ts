import {
  type GitHubComment,
  type GitHubIssue,
  type GitHubRepository,
  type GitHubReview,
  nameOf,
} from './state.ts'

/** Times without milliseconds, as GitHub writes them. */
export const timeOf = (at: number): string => new Date(at).toISOString().replace(/\.\d{3}Z$/, 'Z')

const userOf = (login: string | null) => (login === null ? null : { login, id: login.length, type: 'User' })

const home = (repository: GitHubRepository): string => `https://github.example/${nameOf(repository)}`

const commentOf = ({ id, user, body, createdAt, updatedAt }: GitHubComment) => ({
  id,
  user: userOf(user),
  body,
  created_at: timeOf(createdAt),
  updated_at: timeOf(updatedAt),
})

/** The emulator's state in GitHub's JSON. */
export function createGitHubJson(url: () => string) {
  const api = (repository: GitHubRepository): string => `${url()}/repos/${nameOf(repository)}`
  return {
    repository: (repository: GitHubRepository) => ({
      id: repository.id,
      name: repository.name,
      full_name: nameOf(repository),
      owner: userOf(repository.owner),
      private: repository.isPrivate,
      visibility: repository.isPrivate ? 'private' : 'public',
      html_url: home(repository),
      url: api(repository),
      default_branch: repository.branch,
      archived: false,
      has_discussions: repository.hasDiscussions,
    }),
    issue: (repository: GitHubRepository, issue: GitHubIssue) => ({
      id: issue.id,
      number: issue.number,
      title: issue.title,
      body: issue.body,
      user: userOf(issue.user),
      state: issue.state,
      state_reason: issue.state === 'closed' ? 'completed' : null,
      labels: issue.labels.map((name) => ({ name })),
      comments: issue.comments.length,
      url: `${api(repository)}/issues/${issue.number}`,
      repository_url: api(repository),
      html_url: `${home(repository)}/${issue.pull ? 'pull' : 'issues'}/${issue.number}`,
      created_at: timeOf(issue.createdAt),
      updated_at: timeOf(issue.updatedAt),
      ...(issue.pull && {
        pull_request: { merged_at: issue.pull.mergedAt === null ? null : timeOf(issue.pull.mergedAt) },
      }),
    }),
    comment: (repository: GitHubRepository, number: number, comment: GitHubComment) => ({
      ...commentOf(comment),
      issue_url: `${api(repository)}/issues/${number}`,
    }),
    reviewComment: (repository: GitHubRepository, number: number, comment: GitHubComment) => ({
      ...commentOf(comment),
      path: comment.path,
      pull_request_url: `${api(repository)}/pulls/${number}`,
    }),
    review: ({ id, user, body, state: decision, submittedAt }: GitHubReview) => ({
      id,
      user: userOf(user),
      body,
      state: decision,
      ...(submittedAt !== null && { submitted_at: timeOf(submittedAt) }),
    }),
  }
}

export type GitHubJson = ReturnType<typeof createGitHubJson>
