import { between, personOf, pick, randomOf, sentences, TOPICS } from '../kit/seed.ts'
import type { EmulatedDrive } from './drive-state.ts'
import type { MicrosoftEmulator } from './index.ts'

const HOUR_MS = 3_600_000

/** The tenant's people, by their short names. */
function seedPeople({ people }: MicrosoftEmulator): string[] {
  return Array.from({ length: 8 }, (_unused, index) => {
    const short = `person-${index}`
    const { name, email } = personOf(index, 'acme.example')
    if (!people.all.has(short))
      people.add(short, { displayName: name, mail: email, userPrincipalName: email })
    return short
  })
}

/** Mails in a few folders, some of them replies. The same seed gives the same content. */
export function seedMails(microsoft: MicrosoftEmulator, { mails: most }: { mails: number }): void {
  const { mail, people } = microsoft
  const random = randomOf('microsoft mails')
  const names = seedPeople(microsoft)
  const folders = [mail.known('inbox'), mail.known('inbox'), mail.known('sentitems'), mail.folder('Projects')]
  const begin = Date.now() - most * HOUR_MS
  for (let count = 0; count < most; count += 1) {
    const topic = TOPICS[count % TOPICS.length] ?? 'billing'
    const { displayName: name, mail: address } = people.get(pick(random, names))
    const isAnswer = count >= TOPICS.length
    mail.deliver({
      folderId: pick(random, folders).id,
      subject: `${isAnswer ? 'Re: ' : ''}About the ${topic}`,
      text: sentences(random, between(random, 2, 6), topic),
      from: { name, address: address ?? '' },
      receivedAt: begin + count * HOUR_MS,
      conversationId: `conversation-${topic}`,
      headers: isAnswer ? { 'In-Reply-To': `<${topic}@acme.example>` } : {},
    })
  }
}

/**
 * Two teams with a standard, a private and a shared channel, and their threads. The same seed gives the same content.
 */
export function seedTeams(microsoft: MicrosoftEmulator, { threads: most }: { threads: number }): void {
  const { teams } = microsoft
  const random = randomOf('microsoft teams')
  const names = seedPeople(microsoft)
  const [sales, product] = [
    teams.createTeam('Sales', ['ada', 'bob', ...names.slice(0, 4)]),
    teams.createTeam('Product', ['ada', 'cy', ...names.slice(4)]),
  ]
  const some = (): Set<string> => new Set(['ada', ...names.slice(2, 5)])
  const channels = [
    teams.createChannel(sales, 'General'),
    teams.createChannel(product, 'Launches'),
    teams.createChannel(product, 'Hiring', { membershipType: 'private', members: some() }),
    teams.createChannel(sales, 'Partners', { membershipType: 'shared', members: some() }),
  ]
  const begin = Date.now() - most * HOUR_MS
  for (let count = 0; count < most; count += 1) {
    const topic = TOPICS[count % TOPICS.length] ?? 'billing'
    const say = (length: number) => ({
      content: `<p>${sentences(random, length, topic)}</p>`,
      by: pick(random, names),
    })
    const createdAt = begin + count * HOUR_MS
    const root = teams.post(pick(random, channels), {
      ...say(2),
      subject: random() < 0.3 ? `About the ${topic}` : null,
      createdAt,
    })
    for (let replies = between(random, 0, 3); replies > 0; replies -= 1)
      teams.reply(root, { ...say(1), createdAt: createdAt + replies * 60_000 })
  }
}

/**
 * The account's OneDrive and a site's library with folders and files, some of them shared. The same seed gives the
 * same content.
 */
export function seedFiles(microsoft: MicrosoftEmulator, { files: most }: { files: number }): void {
  const { files, drive } = microsoft
  const random = randomOf('microsoft')
  const names = seedPeople(microsoft)
  const site = files.createSite('operations')
  const library = files.createDrive('Documents', site, [{ siteGroup: 'Operations Members' }])
  const folders = [drive, library].flatMap((one: EmulatedDrive) =>
    ['Plans', 'Reports'].map((name) => files.folder(one, name)),
  )
  const begin = Date.now() - most * HOUR_MS
  for (let count = 0; count < most; count += 1) {
    const folder = pick(random, folders)
    const topic = TOPICS[count % TOPICS.length] ?? 'billing'
    const at = begin + count * HOUR_MS
    files.add(folder.driveId === drive.id ? drive : library, {
      name: `${topic}${count >= TOPICS.length ? ` ${count}` : ''}.md`,
      mimeType: 'text/markdown',
      content: `# About the ${topic}\n\n${sentences(random, between(random, 3, 8), topic)}`,
      parentId: folder.id,
      createdBy: pick(random, names),
      createdAt: at,
      changedAt: at,
      grants: random() < 0.2 ? [{ user: pick(random, names) }] : [],
    })
  }
}
