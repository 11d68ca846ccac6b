import type { Schemas } from '../../api/client.ts'
import classes from './key-facts.module.css'
import { scopeInWords } from './key-words.ts'

/** What a key may do and read, and what it may not. */
export function KeyFacts({ apiKey }: { apiKey: Schemas['ApiKey'] }) {
  const { actions, denied, providers, hidden } = scopeInWords(apiKey)
  const facts = [
    ['Permissions', actions],
    ['Not allowed', denied],
    ['Providers', providers],
    ['Hidden', hidden],
  ] as const
  return (
    <dl className={classes.facts}>
      {facts.map(
        ([name, words]) =>
          words !== null && (
            <div key={name} className={classes.fact}>
              <dt>{name}</dt>
              <dd>{words}</dd>
            </div>
          ),
      )}
    </dl>
  )
}
