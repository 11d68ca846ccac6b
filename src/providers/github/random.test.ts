import { afterAll, expect, it } from 'vitest'
import { createConnect, type GitHubAccount } from '../../../test/support/github.ts'
import { createProviderHarness } from '../../../test/support/provider-harness.ts'
import { rounds, seededRandom } from '../../../test/support/random.ts'
import { between, pick, type Random } from '../../../emulators/kit/seed.ts'
import type { GitHubRepository } from '../../../emulators/github/state.ts'
import { createTextExtractor } from '../../file-text/index.ts'
import { ProviderError } from '../adapter.ts'

const MINUTE = 60_000
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
    const account = await connect({
      itemsPerPage: 2,
      limits: { maxAttempts: 1 },
      prepare: ({ state }) => void state.create('acme/wiki'),
    })
    const { hub, sync, adapter } = account
    for (let count = 0; count < 40; count += 1) {
      sync.now += between(random, 0, 20) * MINUTE
      for (let changes = between(random, 0, 4); changes > 0; changes -= 1) change(account, random, count)
      if (random() < 0.3)
        hub.faults.add({ every: between(random, 2, 9), times: 2, status: pick(random, [500, 429]) })
      if (random() < 0.1) hub.faults.add({ every: between(random, 2, 9), times: 1, drop: true })
      try {
        await sync.run({ dieAfter: between(random, 0, 6), losePage: random() < 0.5 })
      } catch (error) {
        expect(error).toBeInstanceOf(ProviderError)
      }
      hub.faults.clear()
    }
    hub.access.hidden.clear()
    for (let runs = 0; runs < 6; runs += 1) {
      sync.now += 90 * MINUTE
      await sync.run()
    }
    const { session } = sync
    const fresh = createProviderHarness({
      adapter,
      account: session.account,
      accessToken: () => session.accessToken(),
      extra: session.extra,
      now: sync.now,
    })
    await fresh.run()
    expect(Object.fromEntries(sync.items)).toEqual(Object.fromEntries(fresh.items))
  },
  60_000,
)
