import { describe, expect, it } from 'vitest'
import { inOneGo } from '../kernel/cooperative.ts'
import { isReply, withoutQuotedText as withoutQuoting } from './quoted-text.ts'

const withoutQuotedText = (...texts: string[]): string => inOneGo(withoutQuoting(texts))

describe('a reply without its quotes', () => {
  it('loses the quote and the line above it, in the forms of common mail programs', () => {
    const quotes = [
      'On Mon, 5 Feb 2024 at 10:12, Ana Lima <ana@acme.example> wrote:\n> old words\n> more',
      'On Mon, 5 Feb 2024 at 10:12, Ana Maria Lima-Kowalski\n<ana.maria.lima@acme.example> wrote:\n\n> old words',
      'Am 05.02.24 um 10:12 schrieb Ana Lima:\n> old words',
      'Ana Lima <ana@acme.example> schrieb am Mo., 5. Feb. 2024, 10:12:\n\n> old words',
      'Le lun. 5 févr. 2024 à 10:12, Ana Lima a écrit :\n> old words',
      'El lun, 5 feb 2024 a las 10:12, Ana Lima (<ana@acme.example>) escribió:\n\n> old words',
      'pon., 5 lut 2024 o 10:12 Ana Lima <ana@acme.example> napisał(a):\n\n> old words',
      'W dniu 5.02.2024 o 10:12, Ana Lima napisał:\n> old words',
      'ma 5. helmik. 2024 klo 10.12 Ana Lima (ana@acme.example) kirjoitti:\n\n> old words',
      'пн, 5 февр. 2024 г. в 10:12, Ana Lima <ana@acme.example>:\n\n> old words',
      '2024年2月5日(月) 10:12 Ana Lima <ana@acme.example>:\n\n> old words',
      'Ana Lima <ana@acme.example> 于2024年2月5日周一 10:12写道：\n\n> old words',
      'On 5 Feb 2024, at 10:12, Ana Lima wrote:\n\nold words without marks\nand more',
      '-----Original Message-----\nFrom: Ana\nold words',
      '________________________________\nFrom: Ana Lima <ana@acme.example>\nSent: Monday\nTo: Ben\nSubject: Re: plan\n\nold words',
      'Von: Ana Lima\nGesendet: Montag\nAn: Ben\nBetreff: AW: Plan\n\nold words',
      'De : Ana Lima\nEnvoyé : lundi 5 février 2024 10:12\nÀ : Ben\nObjet : RE: plan\n\nold words',
      '*From:* Ana Lima\n*Sent:* Monday\n*To:* Ben; Cleo; Dan;\nEve\nFay\nGil\nHal\n*Subject:* plan\n\nold words',
    ]
    for (const quote of quotes)
      expect(withoutQuotedText(`Yes, on Friday.\n\n${quote}`)).toBe('Yes, on Friday.')
  })

  it('loses a quoted paragraph of any line length', () => {
    const text = `Yes.\n\nOn Mon, 5 Feb 2024 at 10:12, Ana wrote:\n\n> ${'old words '.repeat(100)}\n`
    expect(withoutQuotedText(text)).toBe('Yes.')
  })

  it('keeps answers between and below the quoted lines', () => {
    const text = 'On Monday, Ana wrote:\n> When?\nOn Friday.\n> Where?\nIn Rome.\n'
    expect(withoutQuotedText(text)).toBe('On Friday.\nIn Rome.')
  })

  it('keeps forwarded text', () => {
    for (const mark of [
      '---------- Forwarded message ---------',
      '---------- Mensaje reenviado ---------',
      'Anfang der weitergeleiteten Nachricht:',
    ]) {
      const text = `See below.\n\n${mark}\nFrom: Ana\n> their words`
      expect(withoutQuotedText(text)).toBe(text)
    }
  })

  it('keeps the whole text when nothing else would be left, or nothing is quoted', () => {
    expect(withoutQuotedText('> only\n> quoted')).toBe('> only\n> quoted')
    const prose = 'On Friday we met.\nFrom: here to there\nHe wrote a lot:\nand more.'
    expect(withoutQuotedText(prose)).toBe(prose)
  })

  it('keeps text that only looks like a quote', () => {
    for (const prose of [
      'My trip:\n\nFrom: Paris\nTo: Rome\nDate: Monday\n\nPlease book it.',
      'On Friday I met Ben\nand Ana wrote down\nthe following:\n\nWe move in May.',
      'In 2019 Ana wrote:\n\nWe move in May.\n\nI still agree.',
    ])
      expect(withoutQuotedText(prose)).toBe(prose)
    const above = 'On Friday we meet.\nOn Mon, 5 Feb 2024 at 10:12, Ana wrote:\n> When?'
    expect(withoutQuotedText(above)).toBe('On Friday we meet.')
  })

  it('handles each part of a mail separately', () => {
    const reply = 'Yes.\n\nOn 5 Feb 2024, at 10:12, Ana Lima wrote:\n\nold words'
    expect(withoutQuotedText(reply, 'list footer', '> the rest of the quote')).toBe('Yes.\n\nlist footer')
  })

  it('of a megabyte on one line, or of as many quote marks, is processed quickly', () => {
    const line = `On ${'wrote '.repeat(200_000)}:`
    expect(withoutQuotedText(line)).toBe(line.trim())
    expect(withoutQuotedText('On a wrote\n'.repeat(50_000)).length).toBeGreaterThan(500_000)
    expect(withoutQuotedText('On 1 Ana wrote 10:12 x:x:\n'.repeat(20_000))).not.toBe('')
    expect(withoutQuotedText('From: Ana\n'.repeat(50_000)).length).toBeGreaterThan(400_000)
    expect(withoutQuotedText('On 10:12:\nOn wrote:\n'.repeat(50_000))).not.toBe('')
  })
})

describe('a mail', () => {
  it('is a reply when it names the mail it answers or its subject says so, in the languages of mail programs', () => {
    for (const subject of ['Re: plan', 'AW: Plan', 'RE : plan', 'Re[2]: plan', '回复：计划', 'RE: FW: plan'])
      expect(isReply(subject, false)).toBe(true)
    expect(isReply('another subject', true)).toBe(true)
    expect(isReply('Report: plan', false)).toBe(false)
  })

  it('that is forwarded is not a reply, even if it names the original mail', () => {
    for (const subject of ['Fwd: plan', 'FW: RE: plan', 'WG: Plan', 'TR : plan', 'RV: plan', '转发: 计划'])
      expect(isReply(subject, true)).toBe(false)
  })
})
