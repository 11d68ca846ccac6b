import { afterAll, expect, it } from 'vitest'
import { pick, type Random } from '../../../../emulators/kit/seed.ts'
import { connectForTest, type MicrosoftAccount } from '../../../../test/support/microsoft.ts'
import { createTurmoil, settle, storedBy } from '../../../../test/connectors/turmoil.ts'
import { rounds, seededRandom } from '../../../../test/support/random.ts'
import { createTextExtractor } from '../../../file-text/index.ts'
import { createTeamsAdapter, TEAMS_SCOPES } from './adapter.ts'

const extractor = createTextExtractor({ threads: 1 })
afterAll(() => extractor.close())

/** One change in a channel. */
function change({ microsoft: { teams } }: MicrosoftAccount, random: Random, count: number): void {
  const channels = [...teams.channels.values()]
  const messages = [...teams.messages.values()]
  const roots = messages.filter(({ rootId }) => rootId === null)
  const kinds: Record<string, () => void> = {
    post: () => void teams.post(pick(random, channels), { content: `<p>Message ${count}</p>` }),
    reply: () => void teams.reply(pick(random, roots), { content: `Reply ${count}` }),
    edit: () => teams.edit(pick(random, messages), `<b>Edited ${count}</b>`),
    remove: () => teams.remove(pick(random, messages)),
    restore: () => teams.restore(pick(random, messages)),
    block: () => teams.block(pick(random, messages), pick(random, ['none', 'blockAccess'])),
    expire: () => teams.expireTokens(pick(random, channels)),
    create: () =>
      void teams.createChannel(pick(random, [...teams.teams.values()]), `Channel ${count}`, {
        membershipType: pick(random, ['standard', 'private', 'shared']),
        members: new Set(random() < 0.7 ? ['ada'] : []),
        isListed: random() < 0.5,
      }),
    removeChannel: () => void (channels.length > 3 && teams.removeChannel(pick(random, channels))),
    join(): void {
      const { members } = pick(random, [...channels, ...teams.teams.values()])
      if (random() < 0.6) members.add('ada')
      else members.delete('ada')
    },
  }
  const often = Array.from({ length: 6 }, () => ['post', 'reply', 'edit', 'remove']).flat()
  const kind = pick(random, [...often, ...Object.keys(kinds)])
  if (roots.length > 0 || kind === 'post' || kind === 'create') kinds[kind]?.()
}

it.each(Array.from({ length: rounds(2) }, (_unused, round) => round))(
  'what is stored equals the channels after changes, faults and killed runs (%i)',
  async (round) => {
    const random = seededRandom(`teams ${round}`)
    const turmoil = createTurmoil(random, (step) => change(account, random, step))
    const account = await connectForTest({
      scopes: TEAMS_SCOPES,
      createAdapter: (settings, clock) => createTeamsAdapter({ settings, clock, extractor, itemsPerPage: 3 }),
      limits: { maxAttempts: 1 },
      prepare({ teams }) {
        teams.expandedReplies = 2
        for (const name of ['Sales', 'Product']) teams.createChannel(teams.createTeam(name), 'General')
      },
      meanwhile: turmoil.meanwhile,
    })
    const { microsoft, sync } = account
    await turmoil.run(sync, microsoft.faults, {
      steps: 60,
      minutesMin: 1,
      disturb: () => void (random() < 0.1 && microsoft.grants.expireAccessTokens()),
    })
    const { teams } = microsoft
    for (const team of teams.teams.values()) team.members.add('ada')
    // Ensures that something exists at the end.
    const last = teams.createChannel(pick(random, [...teams.teams.values()]), 'Last')
    for (let posted = 0; posted < 4; posted += 1) teams.post(last, { content: `Last ${posted}` })
    const anew = await settle(account)
    expect(storedBy(sync)).toEqual(storedBy(anew))
    expect(anew.items.size).toBe(readableThreads(account).length)
    expect(anew.items.size).toBeGreaterThan(3)
  },
  60_000,
)

/** The threads that have at least one readable message. */
function readableThreads({ microsoft: { teams } }: MicrosoftAccount): string[] {
  const open = [...teams.channels.values()].filter((channel) => teams.isOpen(channel, 'ada'))
  return open
    .flatMap((channel) => teams.rootsIn(channel))
    .filter((root) =>
      [root, ...teams.repliesTo(root)].some(
        ({ deletedAt, dlpAction }) => deletedAt === null && dlpAction !== 'blockAccess',
      ),
    )
    .map(({ id }) => id)
}
