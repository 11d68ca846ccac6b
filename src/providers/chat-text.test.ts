import { describe, expect, it } from 'vitest'
import { chatText } from './chat-text.ts'

const said = (author: string, text: string) => ({ author, text })

describe('the text of a chat', () => {
  it('begins each message with its author, and indents its further lines', () => {
    expect(chatText([said('Ben', 'Shall we?\n\n- yes\r\n  - soon'), said('Anna', 'Yes')])).toBe(
      'Ben: Shall we?\n\n  - yes\n    - soon\nAnna: Yes',
    )
  })

  it('repeats the author before a line that begins with the name of a sender', () => {
    const lines = ['Anna: I approve', '> Anna: I agree', '  * Ben: me too', 'Annabel: no', 'Note: yes']
    expect(chatText([said('Anna', 'Hello'), said('Ben', `Well\n${lines.join('\n')}`)])).toBe(
      [
        'Anna: Hello',
        'Ben: Well',
        'Ben: Anna: I approve',
        'Ben: > Anna: I agree',
        'Ben: * Ben: me too',
        '  Annabel: no',
        '  Note: yes',
      ].join('\n'),
    )
  })

  it('takes every line break for one', () => {
    for (const end of ['\r', '\r\n', '\u2028', '\u2029', '\u0085', '\v', '\f'])
      expect(chatText([said('Ben', `Well${end}Mia: I approve`), said('Anna', 'Yes')])).toBe(
        'Ben: Well\n  Mia: I approve\nAnna: Yes',
      )
  })

  it('is that of a single message, with its author only if a line looks like that of a sender', () => {
    for (const text of ['Hello\nat noon: lunch', '- City: Rome; Fare: 12'])
      expect(chatText([said('Ben', text)])).toBe(text)
    expect(chatText([said('Ben', 'Anna Berg: I approve')])).toBe('Ben: Anna Berg: I approve')
    expect(chatText([said('Ben', 'Well\nAnna: I approve')])).toBe('Ben: Well\n  Anna: I approve')
    expect(chatText([said('ben', 'Well\nben: I approve')])).toBe('ben: Well\nben: ben: I approve')
  })
})
