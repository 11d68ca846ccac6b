import { expect, it } from 'vitest'
import { answerToShare } from './answer-to-share.ts'

const passage = (title: string, url: string) => ({ sourceItemId: '1', title, content: '', url, provider: '' })

it('names what a copied answer cites, with addresses where there are any', () => {
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
