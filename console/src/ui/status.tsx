import classes from './status.module.css'

export type Tone = 'good' | 'waiting' | 'bad' | 'off' | 'busy'

/** A state as a word with a dot before it: the colour only repeats what the word says. `busy` pulses. */
export function Status({ tone, children }: { tone: Tone; children: string }) {
  return (
    <span className={classes.status} data-tone={tone}>
      {children}
    </span>
  )
}
