const CHARACTERS_MAX = 1_000
const NOTICE = /\bhtml\b|browser|navigateur|navegador|web ?version/i

/** Whether the plain text of a mail may only tell the reader to open its HTML, which then has all there is to read. */
export const isHtmlNotice = (plain: string): boolean => plain.length <= CHARACTERS_MAX && NOTICE.test(plain)
