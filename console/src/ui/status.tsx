import classes from './status.module.css'

export type Tone = 'good' | 'waiting' | 'bad' | 'off' | 'busy'

/** A state as a word with a colored dot. The color only repeats the word. `busy` pulses. */
export function Status({ tone, children }: { tone: Tone; children: string }) {
  return (
    <span className={classes.status} data-tone={tone}>
      {children}
    </span>
  )
}
