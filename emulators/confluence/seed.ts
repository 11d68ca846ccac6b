import { between, personOf, pick, randomOf, sentences, TOPICS } from '../kit/seed.ts'
import type { ConfluenceContent, ConfluenceState } from './state.ts'

const HOUR_MS = 3_600_000

/**
 * Two spaces with nested pages, some with comments, a file or a restriction, and blog posts. The same seed gives the
 * same content.
 */
export function seedConfluence(state: ConfluenceState, { pages }: { pages: number }): void {
  const random = randomOf('confluence')
  const people = Array.from({ length: 12 }, (_unused, index) => personOf(index, 'acme.example'))
  for (const [index, { name, email }] of people.entries()) state.person(`person-${index}`, { name, email })
  state.groups.set('staff', [...state.people.keys()])
  const spaces = [
    state.createSpace('HR', { name: 'People and culture' }),
    state.createSpace('ENG', { name: 'Engineering' }),
  ]
  const begin = Date.now() - pages * HOUR_MS
  const above: ConfluenceContent[] = []
  for (let count = 0; count < pages; count += 1) {
    const space = pick(random, spaces)
    const topic = TOPICS[count % TOPICS.length] ?? 'billing'
    const parents = above.filter(({ spaceId }) => spaceId === space.id)
    const at = begin + count * HOUR_MS
    const page = state.add(space, {
      title: `About the ${topic}${count >= TOPICS.length ? ` ${count}` : ''}`,
      body: `<h2>Overview</h2><p>${sentences(random, 4, topic)}</p><h2>Next</h2><p>${sentences(random, 2, topic)}</p>`,
      authorId: `person-${between(random, 0, 11)}`,
      createdAt: at,
      changedAt: at,
      parentId: parents.length > 0 && random() < 0.7 ? pick(random, parents).id : null,
    })
    if (random() < 0.5) above.push(page)
    if (random() < 0.3)
      state.comment(page, {
        body: `<p>${sentences(random, 1, topic)}</p>`,
        authorId: `person-${between(random, 0, 11)}`,
        changedAt: at + HOUR_MS,
      })
    if (count % 8 === 7)
      state.attach(page, { name: `${topic.replaceAll(' ', '-')}.txt`, content: sentences(random, 3, topic) })
    if (random() < 0.1) page.restriction = { users: ['ada', 'person-1'], groups: [] }
  }
  for (const topic of TOPICS.slice(0, 3))
    state.add(pick(random, spaces), {
      type: 'blogpost',
      title: `News of the ${topic}`,
      body: `<p>${sentences(random, 3, topic)}</p>`,
      authorId: `person-${between(random, 0, 11)}`,
    })
}
