import { z } from 'zod'
import { ProviderError, type ProviderSession } from '../../adapter.ts'
import { storedBelow } from '../../stored-ids.ts'
import type { Surveyed } from '../shared/feed.ts'
import { MINUTE_MS } from '../../../kernel/clock.ts'
import { inParts } from '../../../kernel/in-parts.ts'
import { byNumber, hashOf, type Position, readersIn } from '../shared/position.ts'
import { type Jira, time } from './client.ts'
import type { Project } from './projects.ts'

const ISSUES_MAX = 20_000
/** Jira returns fewer issues per page if fields are requested. */
const IDS_PER_REQUEST = 5_000
const ISSUES_PER_REQUEST = 100
const PROJECTS_PER_QUERY = 100
/** How far Jira's search index may lag. */
const OVERLAP_MINUTES = 60
const UNREAD = '?'

/** The fields that show whether an issue changed. */
export const MARKED_FIELDS = ['updated', 'project', 'security', 'issuerestriction'] as const

export const MarkedFields = z.object({
  updated: time,
  project: z.object({ id: z.string(), key: z.string(), name: z.string() }),
  security: z.object({ id: z.string() }).nullish(),
  /** Roles that an issue of a team-managed project is restricted to. */
  issuerestriction: z.unknown().optional(),
})
/** Any other format may be a restriction. */
const Unrestricted = z.object({ issuerestrictions: z.strictObject({}).nullish() }).nullish()
type MarkedFields = z.output<typeof MarkedFields>

const id = z.string().regex(/^\d+$/)
const Found = z.object({ id })
/** An issue whose fields are in an unknown format still exists. */
const Marked = z.object({ id, fields: MarkedFields.nullable().catch(null) })
const Fetched = z.object({
  issues: z.array(Marked),
  issueErrors: z.array(z.object({ id: z.coerce.string().optional() })).catch([]),
})
const Window = z.object({ at: z.iso.datetime(), projects: z.string() })

/** Who may read an issue: `PROJECT`, `PROJECT-LEVEL`, or null if Jira does not say. */
export function readersOf({ project, security, issuerestriction }: MarkedFields): string | null {
  if (!Unrestricted.safeParse(issuerestriction).success) return null
  return security == null ? project.id : `${project.id}-${security.id}`
}

/** The mark of an issue's state. An issue in an unknown format must be read; until then, it has no readers. */
export const markOf = (fields: MarkedFields | null): string =>
  fields === null
    ? `${UNREAD}.`
    : `${hashOf([fields.updated, fields.project.key, fields.project.name], 8)}.${readersOf(fields) ?? ''}`

interface SurveyOptions {
  jira: Jira
  session: ProviderSession
  projects: ReadonlyMap<string, Project>
  /** The prefix of item ids, with a trailing slash. */
  prefix: string
  position: Position
}

/** The projects' issues and what changed since the last survey; all, if the projects changed. @throws ProviderError */
export async function surveyIssues({
  jira,
  session,
  projects,
  prefix,
  position,
}: SurveyOptions): Promise<Surveyed> {
  const names = hashOf(
    [...projects.values()].map(({ id: one, key, name }) => [one, key, name]),
    8,
  )
  const now = session.clock.now()
  const last = Window.safeParse(position.survey).data
  const since = last?.projects === names ? sinceOf(last.at, now) : null
  const changed = new Map<string, string>()
  const ids = new Set<string>()
  for (const some of inParts([...projects.keys()], PROJECTS_PER_QUERY)) {
    const scope = `project in (${some.join(', ')})`
    const each = {
      jql: `${scope}${since ?? ''} ${ORDER}`,
      fields: MARKED_FIELDS,
      maxResults: ISSUES_PER_REQUEST,
    }
    for await (const issues of jira.search(each, Marked)) {
      session.signal.throwIfAborted()
      for (const issue of issues) changed.set(issue.id, markOf(issue.fields))
      expectFew(changed.size)
    }
    if (since === null) continue
    const all = { jql: `${scope} ${ORDER}`, fields: ['id'], maxResults: IDS_PER_REQUEST }
    for await (const issues of jira.search(all, Found)) {
      for (const issue of issues) ids.add(issue.id)
      expectFew(ids.size)
    }
  }
  const stored = (await storedBelow(session, prefix)).map((one) => one.slice(prefix.length))
  const missing = stored.filter((one) => !changed.has(one) && !ids.has(one))
  const there = await findById(jira, missing, projects)
  const marks = new Map<string, string>()
  for (const one of new Set([...ids, ...changed.keys(), ...there.keys()]))
    marks.set(one, changed.get(one) ?? there.get(one) ?? markAsKnown(position.known[one]))
  return {
    ids: [...marks.keys()].toSorted(byNumber),
    marks,
    stored: new Set(stored),
    gone: missing.filter((one) => !there.has(one)).map((one) => prefix + one),
    next: { at: now.toISOString(), projects: names },
  }
}

/** Neither changes when an issue changes. */
const ORDER = 'ORDER BY created ASC, key ASC'

/** Relative, because Jira interprets absolute times in the account's time zone. */
const sinceOf = (at: string, now: Date): string =>
  ` AND updated >= -${Math.ceil((now.getTime() - Date.parse(at)) / MINUTE_MS) + OVERLAP_MINUTES}m`

function expectFew(count: number): void {
  if (count > ISSUES_MAX)
    throw new ProviderError(
      'rejected',
      `The projects have more than ${ISSUES_MAX} issues; name fewer projects`,
    )
}

/**
 * Marks of stored issues that exist although no search returned them: the index lags, or an issue moved during the
 * search.
 */
async function findById(
  jira: Jira,
  missing: readonly string[],
  projects: ReadonlyMap<string, unknown>,
): Promise<Map<string, string | undefined>> {
  const there = new Map<string, string | undefined>()
  for (const issueIdsOrKeys of inParts(missing, ISSUES_PER_REQUEST)) {
    const body = { issueIdsOrKeys, fields: MARKED_FIELDS }
    const { issues, issueErrors } = await jira.post('issue/bulkfetch', body, Fetched)
    for (const issue of issues)
      if (issue.fields === null || projects.has(issue.fields.project.id))
        there.set(issue.id, markOf(issue.fields))
    // Jira could not fetch them now.
    for (const error of issueErrors) if (error.id !== undefined) there.set(error.id, undefined)
  }
  return there
}

/** The mark of an unchanged issue; a different one if it must still be read. */
function markAsKnown(known: string | undefined): string {
  const mark = (known ?? '').replace(/!$/, '')
  return mark.startsWith('.') || mark === '' ? `${UNREAD}.${readersIn(mark)}` : mark
}
