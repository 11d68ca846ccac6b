import { describe, expect, it } from 'vitest'
import { withoutQuotedText } from './quoted-text.ts'

describe('a reply without what it quotes', () => {
  it('loses the quote and the line above it, in the forms mail programs use', () => {
    const quotes = [
      'On Mon, 5 Feb 2024 at 10:12, Ana Lima <ana@acme.example> wrote:\n> old words\n> more',
      'On Mon, 5 Feb 2024 at 10:12, Ana Maria Lima-Kowalski\n<ana.maria.lima@acme.example> wrote:\n\n> old words',
      'Am 05.02.24 um 10:12 schrieb Ana Lima:\n> old words',
      'Le lun. 5 févr. 2024 à 10:12, Ana Lima a écrit :\n> old words',
      'On 5 Feb 2024, at 10:12, Ana Lima wrote:\n\nold words without marks\nand more',
      '-----Original Message-----\nFrom: Ana\nold words',
      '________________________________\nFrom: Ana Lima <ana@acme.example>\nSent: Monday\nTo: Ben\nSubject: Re: plan\n\nold words',
      'Von: Ana Lima\nGesendet: Montag\nAn: Ben\nBetreff: AW: Plan\n\nold words',
    ]
    for (const quote of quotes) {
      const own = withoutQuotedText(`Yes, on Friday.\n\n${quote}`)
      expect(own.replace(/_+$/, '').trim()).toBe('Yes, on Friday.')
    }
  })

  it('keeps answers between the quoted lines', () => {
    const text = 'On Monday, Ana wrote:\n> When?\nOn Friday.\n> Where?\nIn Rome.\n'
    expect(withoutQuotedText(text)).toBe('On Friday.\nIn Rome.')
  })

  it('keeps what was forwarded', () => {
    const text = 'See below.\n\n---------- Forwarded message ---------\nFrom: Ana\n> their words'
    expect(withoutQuotedText(text)).toBe(text)
  })

  it('is the whole text when nothing else would be left, and when nothing is quoted', () => {
    expect(withoutQuotedText('> only\n> quoted')).toBe('> only\n> quoted')
    const prose = 'On Friday we met.\nFrom: here to there\nHe wrote a lot:\nand more.'
    expect(withoutQuotedText(prose)).toBe(prose)
  })

  it('of a megabyte on one line, or of as many marks, takes no time to speak of', () => {
    const line = `On ${'wrote '.repeat(200_000)}:`
    expect(withoutQuotedText(line)).toBe(line.trim())
    expect(withoutQuotedText('On a wrote\n'.repeat(50_000)).length).toBeGreaterThan(500_000)
  })
})
