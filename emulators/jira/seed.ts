import { between, personOf, pick, randomOf, sentences, TOPICS } from '../kit/seed.ts'
import { type JiraState, paragraphs } from './state.ts'

/**
 * Two projects with issues, some with comments, an assignee or a security level. The same seed gives the same
 * content.
 */
export function seedJira(state: JiraState, { issues }: { issues: number }): void {
  const random = randomOf('jira')
  const people = Array.from({ length: 12 }, (_unused, index) => personOf(index, 'acme.example'))
  for (const [index, { name, email }] of people.entries()) state.person(`person-${index}`, { name, email })
  state.groups.set('staff', [...state.people.keys()])
  const randomPerson = (): string => `person-${between(random, 0, 11)}`
  const levels = new Map([
    [
      '10021',
      [
        { type: 'user' as const, value: 'ada' },
        { type: 'user' as const, value: 'person-1' },
      ],
    ],
  ])
  const projects = [
    state.createProject('PEOPLE', { name: 'People and culture', levels }),
    state.createProject('ENG', { name: 'Engineering' }),
  ]
  for (let count = 0; count < issues; count += 1) {
    const project = pick(random, projects)
    const topic = TOPICS[count % TOPICS.length] ?? 'billing'
    const issue = state.add(project, {
      summary: `Work on the ${topic}${count >= TOPICS.length ? ` ${count}` : ''}`,
      description: paragraphs(sentences(random, 3, topic), sentences(random, 2, topic)),
      type: pick(random, ['Bug', 'Story', 'Task']),
      status: pick(random, ['To Do', 'In Progress', 'Done']),
      reporterId: randomPerson(),
      assigneeId: random() < 0.7 ? randomPerson() : null,
      levelId: project.levels.size > 0 && random() < 0.1 ? '10021' : null,
    })
    if (random() < 0.4)
      state.comment(issue, { body: paragraphs(sentences(random, 1, topic)), authorId: randomPerson() })
  }
}
