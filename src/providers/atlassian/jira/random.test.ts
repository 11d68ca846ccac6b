import { afterAll, expect, it } from 'vitest'
import { pick, type Random } from '../../../../emulators/kit/seed.ts'
import { type JiraHolder, type JiraIssue, paragraphs } from '../../../../emulators/jira/state.ts'
import { createConnect, type JiraAccount } from '../../../../test/support/jira.ts'
import { createTurmoil, settle, storedBy } from '../../../../test/connectors/turmoil.ts'
import { rounds, seededRandom } from '../../../../test/support/random.ts'
import { readPermissions } from '../../../../test/support/read-permissions.ts'
import { createTextExtractor } from '../../../file-text/index.ts'

const LEVELS = ['10020', '10021']
const extractor = createTextExtractor()
afterAll(() => extractor.close())

const connect = createConnect(extractor)

/** One change at Jira. */
function change({ jira: { state, unindexed } }: JiraAccount, random: Random, count: number): void {
  const projects = [...state.projects.values()]
  const project = pick(random, projects)
  const issues = [...state.issues.values()]
  const comments = [...state.comments.values()]
  const some = (): JiraHolder =>
    pick<JiraHolder>(random, [
      { type: 'user', value: 'ada' },
      { type: 'user', value: 'bob' },
      { type: 'group', value: 'leads' },
      { type: 'projectRole', value: '10002' },
      { type: 'projectLead' },
      { type: 'applicationRole' },
    ])
  const visibilities = [null, null, { type: 'group' as const, value: 'leads', identifier: 'leads' }]
  const ofIssue: Record<string, (issue: JiraIssue) => void> = {
    describe: (issue) => state.edit(issue, { description: paragraphs(`Text ${count}`) }),
    rename: (issue) => state.edit(issue, { summary: `Title ${count}` }),
    progress: (issue) => state.edit(issue, { status: pick(random, ['To Do', 'Done']), assigneeId: 'cy' }),
    move: (issue) => state.move(issue, project),
    remove: (issue) => state.remove(issue),
    secure: (issue) =>
      state.edit(issue, { levelId: pick(random, [null, null, ...LEVELS]), restrictedTo: [] }),
    restrict: (issue) => state.edit(issue, { restrictedTo: random() < 0.5 ? ['10002'] : [] }),
    comment: (issue) =>
      void state.comment(issue, {
        body: paragraphs(`Comment ${count}`),
        visibility: pick(random, visibilities),
      }),
  }
  const others: Record<string, () => void> = {
    add() {
      const { id } = state.add(project, { description: paragraphs(`Issue ${count}`) })
      if (random() < 0.2) unindexed.add(id)
    },
    editComment() {
      if (comments.length > 0)
        state.editComment(pick(random, comments), {
          body: paragraphs(`Edited ${count}`),
          visibility: pick(random, visibilities),
        })
    },
    removeComment() {
      if (comments.length > 0) state.removeComment(pick(random, comments))
    },
    hideProject: () => void (project.browsers = [{ type: 'user', value: 'bob' }]),
    showProject: () => void (project.browsers = [{ type: 'user', value: 'ada' }, some(), some()]),
    changeRole: () =>
      void project.roles.set('10002', { users: ['ada', pick(random, ['bob', 'cy'])], groups: [] }),
    changeLevel: () =>
      void project.levels.set(pick(random, LEVELS), [some(), { type: 'user', value: 'ada' }]),
    renameProject: () => state.renameProject(project, project.key, `Project ${count}`),
    rekeyProject: () => state.renameProject(project, `K${count}`, project.name),
    index: () => unindexed.clear(),
  }
  const often = Array.from({ length: 5 }, () => ['issue', 'issue', 'add']).flat()
  const kind = pick(random, [...often, ...Object.keys(others)])
  if (kind !== 'issue') others[kind]?.()
  else if (issues.length > 0) ofIssue[pick(random, Object.keys(ofIssue))]?.(pick(random, issues))
}

it.each(Array.from({ length: rounds(1) }, (_unused, round) => round))(
  'what is stored equals the source after changes, faults and killed runs (%i)',
  async (round) => {
    const random = seededRandom(`jira ${round}`)
    const turmoil = createTurmoil(random, (step) => change(account, random, step))
    const account = await connect({
      itemsPerPage: 2,
      pageMax: 3,
      limits: { maxAttempts: 1 },
      prepare({ state }) {
        for (const { roles, levels } of [...state.projects.values(), state.createProject('ENG')]) {
          roles.set('10002', { users: ['ada'], groups: [] })
          for (const level of LEVELS) levels.set(level, [{ type: 'user', value: 'ada' }])
        }
        state.groups.set('leads', ['ada', 'cy'])
      },
      meanwhile: turmoil.meanwhile,
    })
    const { jira, sync, adapter } = account
    await turmoil.run(sync, jira.faults, { steps: 40 })
    for (const project of jira.state.projects.values()) project.browsers = [{ type: 'group', value: 'staff' }]
    jira.unindexed.clear()
    const anew = await settle(account)
    expect(sync.items.size).toBeGreaterThan(3)
    expect(storedBy(sync)).toEqual(storedBy(anew))
    await expectReaders(account, await readPermissions(adapter, sync.session, sync.cursor))
  },
  60_000,
)

/** Expects that each stored issue has exactly the readers it has at Jira; none if it is restricted to roles. */
async function expectReaders(
  { jira: { state }, sync }: JiraAccount,
  { groups, policies }: Awaited<ReturnType<typeof readPermissions>>,
): Promise<void> {
  const stored = new Map([...sync.items].map(([id, { metadata }]) => [id, metadata.accessPolicy]))
  expect(policies).toEqual(stored)
  for (const { externalId, metadata } of sync.items.values()) {
    const issue = state.issues.get(externalId.split('/')[1] ?? '')
    if (issue === undefined) throw new Error(`${externalId} is stored, but gone`)
    const named = (metadata.accessPolicy?.groups ?? []).flatMap((id) => groups.get(id)?.users ?? [])
    const reading = [...state.people.values()].filter(
      ({ accountId }) => issue.restrictedTo.length === 0 && state.reads(accountId, issue),
    )
    expect(named.toSorted(), externalId).toEqual(reading.map(({ email }) => email).toSorted())
  }
}
