import { describe, expect, it } from 'vitest'
import { readCsv } from './read-csv.ts'

const textOf = (source: string): string => readCsv(source, 100_000).text

describe('a delimited table', () => {
  it('becomes its rows, each with the column names', () => {
    expect(textOf('Item,Cost,Due\nDesks,1200,2025-03-01\nLamps,,\n')).toBe(
      '- Item: Desks; Cost: 1200; Due: 2025-03-01\n- Item: Lamps',
    )
  })

  it.each([
    ['semicolons', 'Name;Size\na;1,5\nb;2,5', '- Name: a; Size: 1,5\n- Name: b; Size: 2,5'],
    ['tabs', 'Name\tSize\na\t1, 2', '- Name: a; Size: 1, 2'],
    [
      'tabs beside more commas',
      'Id\tText\n1\tWell, thanks, and you\n2\tHello, friend, how, are, you\n',
      '- Id: 1; Text: Well, thanks, and you\n- Id: 2; Text: Hello, friend, how, are, you',
    ],
    [
      'semicolons beside more commas, below a title',
      'Stock, in EUR\nId;Item;Price\n1;Desk, big, brown, heavy;10,50\n2;Chair, red, small, soft;3,25',
      'Stock, in EUR\n- Id: 1; Item: Desk, big, brown, heavy; Price: 10,50\n- Id: 2; Item: Chair, red, small, soft; Price: 3,25',
    ],
    [
      'commas beside more bars and line ends within quotes',
      'Id,Tags\n1,a|b|c\n2,"x; y; z\ny; z"\n3,d|e|f',
      '- Id: 1; Tags: a|b|c\n- Id: 2; Tags: x; y; z y; z\n- Id: 3; Tags: d|e|f',
    ],
    ['bars', 'Name|Size\na|1', '- Name: a; Size: 1'],
    ['what it says itself', 'sep=|\r\nName|Size, kg\r\na|1', '- Name: a; Size, kg: 1'],
  ])('is recognized by its delimiter: %s', (_, source, text) => {
    expect(textOf(source)).toBe(text)
  })

  it('keeps quoted delimiters, quotes and line ends in their cell', () => {
    expect(textOf('Who,Said\r\nAna,"a, ""b""\nc"\r\n')).toBe('- Who: Ana; Said: a, "b" c')
  })

  it('treats an unclosed quote as an ordinary character', () => {
    expect(textOf('Pipe,Size\nA,"5 inch\nB,6\n')).toBe('- Pipe: A; Size: "5 inch\n- Pipe: B; Size: 6')
  })

  it.each([
    [
      'below a title',
      'Budget 2027,draft 2,k EUR,,\nCost centre,Name,2026,2027,Owner\n110,Salaries,5640,6480,Bea\nTotal,,7300,8474,\n',
      'Budget 2027 | draft 2 | k EUR\n- Cost centre: 110; Name: Salaries; 2026: 5640; 2027: 6480; Owner: Bea\n- Cost centre: Total; 2026: 7300; 2027: 8474',
    ],
    [
      'below a title and an empty row',
      'Vendors\n,,\nVendor,What,Owner\nAWS,hosting,Yan',
      'Vendors\n- Vendor: AWS; What: hosting; Owner: Yan',
    ],
    [
      'of a second table below an empty row',
      'Item,Price\nLock,79\n\nCity,Rate\nGhent,95\n\nLisbon,90',
      '- Item: Lock; Price: 79\n- City: Ghent; Rate: 95\n- City: Lisbon; Rate: 90',
    ],
  ])('has the column names %s', (_, source, text) => {
    expect(textOf(source)).toBe(text)
  })

  it('keeps a remark without the name of its column', () => {
    expect(textOf('Item,Price,Stock\nLock,79,4\nPrices are valid until June\n')).toBe(
      '- Item: Lock; Price: 79; Stock: 4\nPrices are valid until June',
    )
  })

  it('does not take the first row of words below an empty row for column names', () => {
    expect(textOf('Name,Team\nAna,Sales\n\nBen,Support\nCleo,Legal')).toBe(
      '- Name: Ana; Team: Sales\n- Name: Ben; Team: Support\n- Name: Cleo; Team: Legal',
    )
  })

  it('becomes its cells if it has no column names', () => {
    expect(textOf('2025,12,x\n2026,13,y')).toBe('2025 | 12 | x\n2026 | 13 | y')
    expect(textOf('only,one,row')).toBe('only | one | row')
    expect(textOf('')).toBe('')
  })

  it('ends when the text is full', () => {
    const { text, stopped } = readCsv(`Name,Size\n${'row,1\n'.repeat(10_000)}`, 1_000)
    expect(stopped).toBe(true)
    expect(text.length).toBeLessThan(1_100)
  })

  it('takes time linear in its size, however hostile', () => {
    for (const piece of ['"', '""', ',', '"a""', 'a,"b\n', '\n', `"${'x'.repeat(50)},`]) {
      const source = piece.repeat(Math.ceil((1 << 20) / piece.length))
      const startedAt = performance.now()
      readCsv(source, 1 << 20)
      expect(performance.now() - startedAt).toBeLessThan(3_000)
    }
  })
})
