import type { ReactNode } from 'react'
import type { Schemas } from '../../api/client.ts'
import classes from './key-facts.module.css'
import { scopeInWords } from './key-words.ts'

type Scope = Pick<Schemas['ApiKey'], 'allowedActions' | 'allowedProviders'>

/** What a key may do and read, and what it may not. `children`: other facts. */
export function KeyFacts({ apiKey, children }: { apiKey: Scope; children?: ReactNode }) {
  const { actions, denied, providers, hidden } = scopeInWords(apiKey)
  return (
    <dl className={classes.facts}>
      <KeyFact name="Permissions">{actions}</KeyFact>
      <KeyFact name="Not allowed">{denied}</KeyFact>
      <KeyFact name="Providers">{providers}</KeyFact>
      <KeyFact name="Hidden">{hidden}</KeyFact>
      {children}
    </dl>
  )
}

/** Nothing without a value. */
export function KeyFact({ name, children }: { name: string; children: ReactNode }) {
  return children === null ? null : (
    <div className={classes.fact}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
