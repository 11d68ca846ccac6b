import { between, personOf, pick, randomOf, sentences, TOPICS } from '../kit/seed.ts'
import type { EmulatedDrive } from './drive-state.ts'
import type { MicrosoftEmulator } from './index.ts'

const HOUR_MS = 3_600_000

/** An own OneDrive and a site's library with folders and files, some of them shared: the same for each seed. */
export function seedFiles(microsoft: MicrosoftEmulator, { files: most }: { files: number }): void {
  const { files, drive, people } = microsoft
  const random = randomOf('microsoft')
  const names = Array.from({ length: 8 }, (_unused, index) => {
    const { name, email } = personOf(index, 'acme.example')
    people.add(`person-${index}`, { displayName: name, mail: email, userPrincipalName: email })
    return `person-${index}`
  })
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
