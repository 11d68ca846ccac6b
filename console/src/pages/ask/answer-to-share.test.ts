import { expect, it } from 'vitest'
import { answerToShare } from './answer-to-share.ts'

const passage = (title: string, url: string) => ({ sourceItemId: '1', title, content: '', url, provider: '' })

it('lists the citations of a copied answer, with their addresses', () => {
  const passages = [
    passage('Vacation', 'https://wiki.example.com/vacation'),
    passage('Unused', ''),
    passage('On call', ''),
  ]
  expect(answerToShare('25 days. [1] Ask Ada. [3]', passages)).toBe(
    '25 days. [1] Ask Ada. [3]\n\n[1] Vacation: https://wiki.example.com/vacation\n[3] On call',
  )
  expect(answerToShare('Nothing.', passages)).toBe('Nothing.')
})
