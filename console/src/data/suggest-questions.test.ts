import { describe, expect, it } from 'vitest'
import { suggestQuestions } from './suggest-questions.ts'

const documents = (...titles: string[]) =>
  titles.map((title) => ({ title, sourceKind: 'document', connectorId: 'wiki' }))
const name = (type: string, label: string) => ({ kind: 'entity', type, label })

describe('suggested questions', () => {
  it('ask how to follow an instruction in a title, and about a name', () => {
    const items = documents('Glossary', 'Rotate secrets', 'How to deploy', 'Connect Slack')
    expect(suggestQuestions(items, [name('channel', '#general'), name('person', 'Ada Lovelace')])).toEqual([
      'How do I rotate secrets?',
      'How do I deploy?',
      'What does Ada Lovelace work on?',
    ])
  })

  it('do not mistake a noun for an instruction', () => {
    const titles = ['Release train notes 29', 'Order form', 'Build a support bot']
    expect(suggestQuestions(documents(...titles), [])[0]).toBe('How do I build a support bot?')
    expect(suggestQuestions(documents('Release train notes 29'), [])).toEqual([
      'What does “Release train notes 29” say?',
    ])
  })

  it('use a title that is a question, and name a document if there is nothing else', () => {
    expect(suggestQuestions(documents('Who is on call?', 'Glossary'), [])).toEqual([
      'Who is on call?',
      'What does “Glossary” say?',
    ])
  })

  it('prefer the newest document to names, and never name a domain', () => {
    const names = [name('organization', 'acme.example'), name('person', 'Ada Lovelace')]
    expect(suggestQuestions(documents('Travel policy', 'Glossary', 'Price list'), names)).toEqual([
      'What does “Travel policy” say?',
      'What does Ada Lovelace work on?',
      'What does “Glossary” say?',
    ])
  })

  it('prefer a single document to one of a series, and omit the name of the workspace', () => {
    const items = documents('Task 2.12: onboarding', 'Task 2.8: security review', 'Kestrel architecture')
    const names = [name('organization', 'Lumora'), name('person', 'Ada Lovelace'), name('topic', 'Kestrel')]
    expect(suggestQuestions(items, names, 'lumora')).toEqual([
      'What does “Kestrel architecture” say?',
      'What do we know about Kestrel?',
      'What does Ada Lovelace work on?',
    ])
  })

  it('omit titles and names that would reverse the rest of the question', () => {
    const names = [name('person', '\u202Eecalevol adA'), name('person', 'Grace Hopper')]
    expect(suggestQuestions(documents('\u2067yrassolG', 'Glossary'), names)).toEqual([
      'What does “Glossary” say?',
      'What does Grace Hopper work on?',
    ])
  })

  it('ask about one item of each source before a second of one', () => {
    const drive = { title: 'Price list', sourceKind: 'file', connectorId: 'drive' }
    const chat = {
      title: '#support: Who restarts the billing job at night?',
      sourceKind: 'message',
      connectorId: 'chat',
    }
    const items = [...documents('Rotate secrets', 'Deploy the service', 'Glossary'), drive, chat]
    expect(suggestQuestions(items, [])).toEqual([
      'How do I rotate secrets?',
      'What does “Price list” say?',
      'Who restarts the billing job at night?',
    ])
    expect(suggestQuestions(items.slice(0, 3), [])).toHaveLength(3)
  })

  it('repeat a question from a channel', () => {
    const asked = {
      title: '#support: Who restarts the billing job at night?',
      sourceKind: 'message',
      connectorId: 'chat',
    }
    expect(suggestQuestions([asked, { ...asked, title: '#support: Really, @Ana?' }], [])).toEqual([
      'Who restarts the billing job at night?',
    ])
  })

  it('omit statements in messages, file names and long lines', () => {
    const items = [
      ...documents('report.pdf', 'Build '.repeat(20)),
      { title: 'Run it?', sourceKind: 'message', connectorId: 'chat' },
    ]
    expect(suggestQuestions(items, [])).toEqual([])
  })
})
