import stringWidth from 'fast-string-width'

export interface ProgressBar {
  /** Sets the progress; `label` names the current work. */
  update(done: number, label: string): void
  /** Removes the bar, so that other output can be written. */
  clear(): void
}

const BAR_CELLS = 24
const REDRAW_MS = 80
/** Interval of the log lines when there is no terminal. */
const LOG_LINE_MS = 10_000

/**
 * A progress bar on a terminal, and a line every ten seconds elsewhere. Not the prompts library's bar: that captures
 * the keyboard and ends the process on Ctrl-C before the work can be saved.
 */
export function createProgressBar(stream: NodeJS.WriteStream, total: number, now: () => number): ProgressBar {
  let drawnAt = now()
  let isShown = false
  const clear = (): void => {
    if (isShown) stream.write('\r\u001b[2K')
    isShown = false
  }
  return {
    clear,
    update(done, label) {
      const isDue = now() - drawnAt >= (stream.isTTY ? REDRAW_MS : LOG_LINE_MS)
      if (!isDue && (isShown || !stream.isTTY)) return
      drawnAt = now()
      const count = `${done}/${total}`
      if (!stream.isTTY) {
        stream.write(`${count} files\n`)
        return
      }
      const filled = total === 0 ? BAR_CELLS : Math.round((done / total) * BAR_CELLS)
      const bar = `${'█'.repeat(filled)}${'░'.repeat(BAR_CELLS - filled)} ${count} `
      clear()
      stream.write(bar + shorten(label, (stream.columns ?? 80) - bar.length - 1))
      isShown = true
    },
  }
}

/** The end of the text that fits. */
function shorten(text: string, columns: number): string {
  if (stringWidth(text) <= columns) return text
  const characters = [...text]
  while (characters.length > 0 && stringWidth(characters.join('')) > columns - 1) characters.shift()
  return columns < 2 ? '' : `…${characters.join('')}`
}
