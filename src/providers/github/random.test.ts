import { afterAll, expect, it } from 'vitest'
import { createTurmoil, settle, storedBy } from '../../../test/connectors/turmoil.ts'
import { createConnect, type GitHubAccount } from '../../../test/support/github.ts'
import { rounds, seededRandom } from '../../../test/support/random.ts'
import { between, pick, type Random } from '../../../emulators/kit/seed.ts'
import type { GitHubRepository } from '../../../emulators/github/state.ts'
import { createTextExtractor } from '../../file-text/index.ts'

const extractor = createTextExtractor()
afterAll(() => extractor.close())

const connect = createConnect(extractor)

/** One change at GitHub. */
function change({ hub: { state, access } }: GitHubAccount, random: Random, count: number): void {
  const repositories = [...state.repositories.values()]
  const repository = pick(random, repositories)
  const numbers = [...repository.issues.keys()]
  const number = numbers.length === 0 ? null : pick(random, numbers)
  const path = `docs/${between(random, 0, 2)}/${between(random, 0, 5)}.md`
  const ofIssue: Record<string, (of: GitHubRepository, number: number) => void> = {
    comment: (of, issue) => void state.comment(of, issue, { body: `Comment ${count}` }),
    edit(of, issue) {
      const comment = of.issues.get(issue)?.comments.at(0)
      if (comment !== undefined) state.editComment(comment, `Edited ${count}`)
    },
    close: (of, issue) => state.change(of, issue, { state: 'closed' }),
    remove: (of, issue) => state.remove(of, issue),
    transfer: (of, issue) =>
      void state.transfer(
        of,
        issue,
        pick(
          random,
          repositories.filter((one) => one !== of),
        ),
      ),
  }
  const ofRepository: Record<string, () => void> = {
    discuss: () => void state.discuss(repository, { body: `Discussion ${count}` }),
    answer() {
      const [discussion] = repository.discussions.values()
      if (discussion !== undefined) state.answer(discussion, { body: `Answer ${count}` })
    },
    endDiscussion: () => void repository.discussions.delete(repository.discussions.keys().next().value ?? 0),
    open: () => void state.open(repository, { body: `Issue ${count}` }),
    write: () => state.write(repository, path, `File ${count}`),
    delete: () => void repository.files.delete(path),
    rename: () => state.rename(repository, `acme/name-${repository.id}-${count}`),
    hide: () => void access.hidden.add(repository.id),
    show: () => access.hidden.clear(),
  }
  const often = Array.from({ length: 8 }, () => ['issue', 'issue', 'open', 'write', 'delete']).flat()
  const kinds = [...often, 'rename', 'hide', 'show', 'show', 'discuss', 'discuss', 'answer', 'endDiscussion']
  const kind = pick(random, kinds)
  if (kind !== 'issue') ofRepository[kind]?.()
  else if (number !== null) ofIssue[pick(random, Object.keys(ofIssue))]?.(repository, number)
}

it.each(Array.from({ length: rounds(1) }, (_unused, round) => round))(
  'what is stored equals the source after changes, faults and killed runs (%i)',
  async (round) => {
    const random = seededRandom(`github ${round}`)
    const turmoil = createTurmoil(random, (step) => change(account, random, step))
    const account = await connect({
      itemsPerPage: 2,
      limits: { maxAttempts: 1 },
      prepare: ({ state }) => void state.create('acme/wiki'),
    })
    const { hub, sync } = account
    await turmoil.run(sync, hub.faults, { steps: 40 })
    hub.access.hidden.clear()
    const anew = await settle(account)
    expect(storedBy(sync)).toEqual(storedBy(anew))
  },
  60_000,
)
