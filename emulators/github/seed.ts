import { between, personOf, pick, randomOf, sentences, TOPICS } from '../kit/seed.ts'
import type { GitHubState } from './state.ts'

const HOUR_MS = 3_600_000

/** Two repositories with issues, pull requests and Markdown files. The same seed gives the same content. */
export function seedGitHub(state: GitHubState, { issues, files }: { issues: number; files: number }): void {
  const web = state.create('acme/web')
  const handbook = state.create('acme/handbook')
  const random = randomOf('github')
  const login = (): string =>
    personOf(between(random, 0, 11), 'acme.example')
      .name.split(' ')[0]
      ?.toLowerCase() ?? 'ana'
  const begin = Date.now() - issues * HOUR_MS
  for (let count = 0; count < issues; count += 1) {
    const topic = pick(random, TOPICS)
    const createdAt = begin + count * HOUR_MS
    const pull = count % 4 === 3 ? { pull: { mergedAt: createdAt, reviews: [], comments: [] } } : {}
    const { number } = state.open(web, {
      title: `The ${topic} needs work`,
      body: sentences(random, 3, topic),
      user: login(),
      createdAt,
      ...pull,
    })
    for (let said = between(random, 0, 3); said > 0; said -= 1)
      state.comment(web, number, {
        user: login(),
        body: sentences(random, 2, topic),
        createdAt: createdAt + said,
      })
    state.change(web, number, { updatedAt: createdAt, state: pick(random, ['open', 'closed'] as const) })
  }
  for (let count = 0; count < files; count += 1) {
    const topic = TOPICS[count % TOPICS.length] ?? 'billing'
    const path = `${pick(random, ['guides', 'policies', 'teams'])}/${topic.replaceAll(' ', '-')}-${count + 1}.md`
    state.write(handbook, path, `# About the ${topic}\n\n${sentences(random, 6, topic)}\n`)
  }
}
