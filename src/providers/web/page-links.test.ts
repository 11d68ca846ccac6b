import { expect, it } from 'vitest'
import { applyRobots } from './page-links.ts'

it.each([
  ['noindex', false, true],
  ['NoFollow', true, false],
  ['none', false, false],
  ['otherbot: noindex, nofollow', false, false],
  ['index, max-image-preview: none', true, true],
  ['max-image-preview:none, nofollow', true, false],
])('reads the robots directive %s', (content, isIndexed, isFollowed) => {
  const page = { isIndexed: true, isFollowed: true }
  applyRobots(page, 'robots', content)
  expect(page).toEqual({ isIndexed, isFollowed })
})
