import { expect, it } from 'vitest'
import { inOneGo } from '../../kernel/cooperative.ts'
import { readPageLinks } from './page-links.ts'
import { readSitemap } from './sitemap.ts'

it('reads the pages of a sitemap with entities, quotation and dates, and the sitemaps of an index', () => {
  const xml = `<?xml version="1.0"?><urlset xmlns="x">
    <url><loc> https://a.example/?a=1&amp;b=2 </loc><lastmod>2026-01-02</lastmod><priority>1</priority></url>
    <url ><lastmod>x</lastmod></url>
    <url><loc>https://a.example/?a=1&#038;b=2&#x26;c=3&#9999999;</loc></url>
    <url><loc>
      <![CDATA[https://a.example/?d&e]]>
    </loc></url>
    <url><loc><![CDATA[https://a.example/c]]></loc></url></urlset>`
  expect(inOneGo(readSitemap(xml))).toEqual({
    pages: [
      { address: 'https://a.example/?a=1&b=2', lastModified: '2026-01-02' },
      { address: 'https://a.example/?a=1&b=2&c=3&#9999999;', lastModified: '' },
      { address: 'https://a.example/?d&e', lastModified: '' },
      { address: 'https://a.example/c', lastModified: '' },
    ],
    sitemaps: [],
  })
  const index = '<sitemapindex><sitemap><loc>https://a.example/1.xml</loc></sitemap></sitemapindex>'
  expect(inOneGo(readSitemap(index))).toEqual({ pages: [], sitemaps: ['https://a.example/1.xml'] })
  expect(inOneGo(readSitemap('<html><loc>x</loc>'))).toEqual({ pages: [], sitemaps: [] })
})

it('reads links over the seams of its pieces, with entities, and none in scripts and comments', () => {
  const html = `<base href="/docs/">${'x'.repeat(16_370)}<a class=b href="/a?b=1&amp;c=2" href="/twice">a</a>
    <!-- <a href="/comment"> --><script>'<a href="/script">'</script><A HREF='/upper'/><a href=bare>b</a>`
  expect(inOneGo(readPageLinks(html))).toMatchObject({
    base: '/docs/',
    links: ['/a?b=1&c=2', '/upper', 'bare'],
  })
})
