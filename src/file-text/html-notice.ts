const CHARACTERS_MAX = 1_000
const NOTICE = /\bhtml\b|browser|navigateur|navegador|web ?version/i

/** Whether the plain text of an email may be only a notice to open the HTML version. */
export const isHtmlNotice = (plain: string): boolean => plain.length <= CHARACTERS_MAX && NOTICE.test(plain)
