import { describe, expect, it } from 'vitest'
import { isUnknownTitle, kindOfPage } from './use-titled-items.ts'

const vacation = { id: '1', title: 'Vacation policy', url: null }

describe('the expected page', () => {
  it('is known if a run would find it by its title: case and spaces do not count', () => {
    expect(isUnknownTitle('vacation  Policy', { items: [vacation], areAll: true })).toBe(false)
    expect(isUnknownTitle('Vacation', { items: [vacation], areAll: true })).toBe(true)
  })

  it('is not reported unknown if more items match the typed text than were listed', () => {
    expect(isUnknownTitle('Vacation', { items: [vacation], areAll: false })).toBe(false)
  })

  it('is a title unless it looks like an ID or a URL', () => {
    expect(kindOfPage('FAQ: travel')).toBe('title')
    expect(kindOfPage('https://wiki.example.com/faq')).toBe('url')
    expect(kindOfPage('C4A7E9B2-1F5D-4C83-9B60-7D2E8F1A3C59')).toBe('id')
  })
})
