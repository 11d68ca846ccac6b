import { describe, expect, it } from 'vitest'
import { parseRobots } from './robots.ts'

const allows = (rules: string, path: string): boolean =>
  parseRobots(`User-agent: *\n${rules}`, 'Crawler').allows(path)

describe('robots.txt', () => {
  // The examples of RFC 9309 §2.2 and https://developers.google.com/search/docs/crawling-indexing/robots/robots_txt
  it.each([
    ['Disallow: /fish', '/fish.html', false],
    ['Disallow: /fish', '/Fish.asp', true],
    ['Disallow: /fish*', '/fishheads/yummy.html', false],
    ['Disallow: /fish/', '/fish', true],
    ['Disallow: /*.php', '/index.php?a=1', false],
    ['Disallow: /*.php', '/windows.PHP', true],
    ['Disallow: /*.php$', '/filename.php', false],
    ['Disallow: /*.php$', '/filename.php?a', true],
    ['Disallow: /fish*.php', '/fishheads/catfish.php?id=1', false],
    ['Disallow: /a*b*b$', '/ab', true],
    ['Disallow: /a*b*b$', '/abb', false],
    ['Disallow: /\nAllow: /p', '/page', true],
    ['Allow: /folder\nDisallow: /folder', '/folder/page', true],
    ['Allow: /page\nDisallow: /*.htm', '/page.htm', false],
    ['Allow: /$\nDisallow: /', '/', true],
    ['Allow: /$\nDisallow: /', '/page.htm', false],
    ['Disallow:', '/anything', true],
    ['Disallow: /ä # comment', '/%C3%A4', false],
    ['Disallow: /ä', '/%c3%a4', false],
    ['Disallow: /%c3%a4', '/%C3%A4', false],
    ['Disallow: /foo/%62a%7A', '/foo/baz', false],
    ['Disallow: /foo/baz', '/foo/b%61z', false],
    ['Disallow: /foo%2Fbar', '/foo/bar', true],
  ])('with %j answers for %s: %s', (rules, path, expected) => expect(allows(rules, path)).toBe(expected))

  it('has the rules of the named crawler in place of those of all, in several groups', () => {
    const text =
      'user-agent: other\nuser-agent: CRAWLER\ndisallow: /a\n\nUser-Agent: *\nDisallow: /\n\nUser-agent: crawler\nDisallow: /b\nCrawl-delay: 2.5\nSitemap: https://a.example/s.xml'
    const robots = parseRobots(text, 'Crawler')
    expect(['/a', '/b', '/c'].map(robots.allows)).toEqual([false, false, true])
    expect(robots).toMatchObject({ delaySeconds: 2.5, sitemaps: ['https://a.example/s.xml'] })
  })

  it('that is none allows everything', () => {
    expect(parseRobots('<html>not found: /</html>\nDisallow: /', 'Crawler').allows('/a')).toBe(true)
  })
})
