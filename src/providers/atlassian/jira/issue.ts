import { z } from 'zod'
import type { TextExtractor } from '../../../file-text/index.ts'
import { runCooperatively } from '../../../kernel/cooperative.ts'
import type { ProviderItem, ProviderSession } from '../../adapter.ts'
import { parseKnown } from '../../rest.ts'
import { type ThreadEntry, threadText } from '../../thread.ts'
import type { SurveyedRead } from '../shared/feed.ts'
import { textOfHtml } from '../../html-text.ts'
import { htmlOfAdf } from './adf.ts'
import { type Jira, time } from './client.ts'
import { policyOf } from './readers.ts'
import { MARKED_FIELDS, MarkedFields, markOf, readersOf } from './survey.ts'

const COMMENTS_MAX = 1_000
const COMMENTS_PER_REQUEST = 100
/** A longer comment is cut before it is parsed. */
const COMMENT_CHARACTERS_MAX = 100_000
const UNKNOWN_PERSON = 'a former user'

const Person = z.object({ displayName: z.string(), emailAddress: z.string().nullish() }).nullish().catch(null)
const named = z.object({ name: z.string() })

const Comment = z.object({
  author: Person,
  body: z.unknown().optional(),
  created: time,
  /** The role or group to which it is restricted. */
  visibility: z.unknown().optional(),
})
type Comment = z.output<typeof Comment>

const FIELDS = [
  'summary',
  'description',
  'issuetype',
  'status',
  'assignee',
  'reporter',
  'labels',
  'created',
  'comment',
]
const Issue = z.object({
  id: z.string(),
  key: z.string().regex(/^[\w-]+$/),
  fields: MarkedFields.extend({
    summary: z.string(),
    description: z.unknown().optional(),
    issuetype: named,
    status: named,
    assignee: Person,
    reporter: Person,
    labels: z.array(z.string()).catch([]),
    created: time,
    comment: z.object({ comments: z.array(z.unknown()), total: z.int() }),
  }),
})
type Issue = z.output<typeof Issue>

export interface IssueReader {
  jira: Jira
  session: ProviderSession
  extractor: TextExtractor
  /** The site's origin, for links. */
  site: string
  /** The projects that the source reads, by id. */
  projects: ReadonlyMap<string, unknown>
}

/** An issue with its comments. @throws ProviderError */
export async function readIssue(reader: IssueReader, externalId: string, id: string): Promise<SurveyedRead> {
  const issue = await findIssue(reader.jira, id)
  if (issue === null || !reader.projects.has(issue.fields.project.id)) return { item: null, outcome: 'gone' }
  const { maxTextBytes } = reader.session.limits
  const entries: ThreadEntry[] = []
  for (const { author, created, body } of await commentsOf(reader.jira, issue, maxTextBytes))
    entries.push({
      what: 'Comment',
      by: author?.displayName ?? UNKNOWN_PERSON,
      at: new Date(created).toISOString(),
      text: await textOf(reader, body, COMMENT_CHARACTERS_MAX),
    })
  const description = await textOf(reader, issue.fields.description, maxTextBytes)
  const body = threadText(openingOf(issue), description, entries, maxTextBytes)
  const item = { ...itemOf(issue, reader.site), externalId, body }
  return { item, outcome: 'read', mark: markOf(issue.fields) }
}

const textOf = async (reader: IssueReader, document: unknown, most: number): Promise<string> =>
  await textOfHtml(reader, await runCooperatively(htmlOfAdf(document, most), reader.session.signal))

async function findIssue(jira: Jira, id: string): Promise<Issue | null> {
  const fields = [...MARKED_FIELDS, ...FIELDS].join(',')
  const issue = await jira.find(`issue/${id}`, Issue, { fields })
  return issue?.id === id ? issue : null
}

/** The comments that every reader of an issue may read, up to an item's length, without restricted ones. */
async function commentsOf(jira: Jira, { id, fields }: Issue, maxBytes: number): Promise<Comment[]> {
  const { comments: first, total } = fields.comment
  const found = parseKnown(first, Comment)
  let length = lengthOf(found)
  if (first.length < total) {
    const parameters = { orderBy: 'created', maxResults: String(COMMENTS_PER_REQUEST) }
    const rest = jira.pages(`issue/${id}/comment`, Comment, parameters, first.length)
    for await (const page of rest) {
      found.push(...page)
      length += lengthOf(page)
      if (length > maxBytes || found.length >= COMMENTS_MAX) break
    }
  }
  return found.filter(({ visibility }) => visibility == null)
}

const lengthOf = (comments: readonly Comment[]): number =>
  comments.reduce((sum, { body }) => sum + JSON.stringify(body ?? '').length, 0)

/** The issue's type and assignee, so that questions about them find it. */
function openingOf({ key, fields }: Issue): string {
  const { issuetype, status, project, assignee, reporter, labels } = fields
  return [
    `${issuetype.name} ${key} in ${project.name}, ${status.name}.`,
    assignee == null ? 'Unassigned.' : `Assignee: ${assignee.displayName}.`,
    ...(reporter == null ? [] : [`Reporter: ${reporter.displayName}.`]),
    ...(labels.length > 0 ? [`Labels: ${labels.join(', ')}.`] : []),
  ].join(' ')
}

function itemOf({ key, fields }: Issue, site: string): Omit<ProviderItem, 'externalId' | 'body'> {
  const { project, reporter, assignee, labels } = fields
  const url = `${site}/browse/${key}`
  return {
    sourceKind: 'document',
    title: fields.summary.trim() || key,
    url,
    authorName: reporter?.displayName ?? null,
    sourceCreatedAt: new Date(fields.created),
    sourceUpdatedAt: new Date(fields.updated),
    metadata: {
      workspace: new URL(site).host,
      project: project.name,
      projectKey: project.key,
      objectType: 'issue',
      issueType: fields.issuetype.name,
      key,
      status: fields.status.name,
      ...(assignee && { assignee: assignee.displayName }),
      ...(reporter && { sender: reporter.displayName }),
      ...(reporter?.emailAddress && { senderEmail: reporter.emailAddress }),
      ...(labels.length > 0 && { labels }),
      folder: project.name,
      permalink: url,
      accessPolicy: policyOf(readersOf(fields)),
    },
  }
}
