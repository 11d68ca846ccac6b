import { expect, it } from 'vitest'
import { readAskSearch } from './ask-search.ts'
import { citationLink, conversationOfLink, linkSearch, shortEnough } from './question-link.ts'

const WORKSPACE = 'b7c1a3de-2f64-4d0b-9a58-6e1f0c9d2a41'

it('a link to a question has its workspace, and no answer', () => {
  expect(linkSearch(WORKSPACE, { question: 'Who approves travel?', earlier: [] })).toEqual({
    q: 'Who approves travel?',
    workspace: WORKSPACE,
  })
})

it('a link to a follow-up is read back with the earlier questions and without their answers', () => {
  const search = linkSearch(WORKSPACE, {
    question: 'And in Germany?',
    earlier: ['How many?'],
    isThorough: true,
  })
  expect(readAskSearch({ ...search })).toEqual(search)
  expect(search.effort).toBe('high')
  expect(conversationOfLink(search)).toEqual([{ question: 'How many?', answer: '' }])
})

it('a link has at most as many earlier questions as the service accepts', () => {
  const earlier = Array.from({ length: 12 }, (_, at) => `Question ${at}?`)
  const { after } = linkSearch(WORKSPACE, { question: 'And then?', earlier })
  expect([after?.length, after?.[0]]).toEqual([10, 'Question 2?'])
  expect(readAskSearch({ q: 'And then?', after: [...earlier, '', {}] }).after).toEqual(after)
})

it('a link to a citation is read back with its thread, answer and passage, or else only with the document', () => {
  const [item, thread, turn] = ['1', '2', '3'].map((start) => `${start}${WORKSPACE.slice(1)}`)
  const citation = {
    thread: thread ?? '',
    turn: { id: turn ?? '', question: 'Who?' },
    earlier: ['When?'],
    at: 3,
    mention: 2,
  }
  const search = citationLink(WORKSPACE, item, citation)
  expect(readAskSearch({ ...search })).toEqual(search)
  expect(search).toEqual({
    workspace: WORKSPACE,
    item,
    thread,
    turn,
    at: 3,
    mention: 2,
    q: 'Who?',
    after: ['When?'],
  })
  expect(citationLink(WORKSPACE, item, null)).toEqual({ workspace: WORKSPACE, item })
})

it('an address that proxies refuse is no link', () => {
  expect(shortEnough('https://memory.example.com/console/ask?q=Who')).not.toBeNull()
  expect(shortEnough('x'.repeat(8_001))).toBeNull()
})
