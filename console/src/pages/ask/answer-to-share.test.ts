import { expect, it } from 'vitest'
import { answerToShare } from './answer-to-share.ts'

const passage = (title: string, url: string) => ({ sourceItemId: '1', title, content: '', url, provider: '' })

it('lists the citations of a copied answer as Markdown, with links to the originals', () => {
  const passages = [
    passage('Vacation', 'https://wiki.example.com/vacation_(2026)'),
    passage('Unused', ''),
    passage('On call', ''),
  ]
  expect(answerToShare('25 days. [1] Ask Ada. [3]', passages)).toBe(
    '25 days. [1] Ask Ada. [2]\n\n- [1] [Vacation](https://wiki.example.com/vacation_%282026%29)\n- [2] On call',
  )
  expect(answerToShare('Ask Ada. [3][2] Again. [3] No passage. [9]', passages)).toBe(
    'Ask Ada. [1][2] Again. [1] No passage. [9]\n\n- [1] On call\n- [2] Unused',
  )
  expect(answerToShare('Nothing.', passages)).toBe('Nothing.')
})

it('links no address that a browser would run, and keeps titles from ending the link', () => {
  const passages = [
    passage('A](https://evil.example)', 'https://ok.example/<b>'),
    passage('B', 'javascript:alert(1)'),
  ]
  expect(answerToShare('[1] [2]', passages)).toBe(
    '[1] [2]\n\n- [1] [A\\](https://evil.example)](https://ok.example/%3Cb%3E)\n- [2] B',
  )
})
