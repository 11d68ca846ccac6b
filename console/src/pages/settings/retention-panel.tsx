import { Fragment } from 'react'
import {
  DELIVERIES_KEPT_DAYS,
  EVALUATION_RUNS_KEPT_MAX,
  INVITATION_DAYS,
  REQUESTS_KEPT_DAYS,
  REQUESTS_KEPT_MAX,
  SYNC_RUNS_KEPT_DAYS,
  THREADS_KEPT_MAX,
  TURNS_KEPT_MAX,
  USAGE_KEPT_DAYS,
  WAITING_DELIVERIES_KEPT_DAYS,
  WITHOUT_WORKSPACE_DAYS,
} from '../../../../src/kernel/retention.ts'
import { count } from '../../ui/format.ts'
import { Panel } from '../../ui/panel.tsx'
import { SECTIONS } from './settings-sections.ts'
import classes from './settings.module.css'

const days = (number: number): string => count(number, 'day')

const TERMS: readonly (readonly [kind: string, term: string])[] = [
  ['Items', 'Until they are deleted here or at their source.'],
  [
    'Deleted items',
    'Text, passages and vectors are deleted at once, and cannot be restored. Items of a deleted source are hidden at once and deleted in the background. Answers that cite a deleted item are hidden.',
  ],
  [
    'Questions and answers',
    `Until you delete them or leave the workspace. Beyond ${count(THREADS_KEPT_MAX, 'thread')} of a person or ${count(TURNS_KEPT_MAX, 'question')} of a thread, the oldest are deleted.`,
  ],
  ['Evaluation', `Questions until they are deleted, and the last ${count(EVALUATION_RUNS_KEPT_MAX, 'run')}.`],
  ['Audit trail', 'Until the workspace is deleted. It includes the text of questions and searches.'],
  [
    'Request log',
    `${days(REQUESTS_KEPT_DAYS)}, at most the last ${count(REQUESTS_KEPT_MAX, 'request')}. Without bodies, query strings and responses.`,
  ],
  ['Usage by day', days(USAGE_KEPT_DAYS)],
  ['Sync history', `${days(SYNC_RUNS_KEPT_DAYS)} after a sync ends`],
  [
    'Webhook deliveries',
    `${days(DELIVERIES_KEPT_DAYS)}, and at most ${days(WAITING_DELIVERIES_KEPT_DAYS)} until they are sent.`,
  ],
  ['Invitations', `${days(INVITATION_DAYS)}, until they expire`],
  [
    'People',
    `Names of former members until the workspace is deleted. People without a workspace are deleted ${days(WITHOUT_WORKSPACE_DAYS)} after their last sign-in.`,
  ],
  [
    'Backups',
    "The service creates none automatically. Deleted data remains in the operator's backups as long as they exist.",
  ],
]

/** How long each kind of data is stored. Nothing here can be changed. */
export function RetentionPanel() {
  return (
    <Panel {...SECTIONS.retention} text="How long each kind of data is stored.">
      <dl className={classes.terms}>
        {TERMS.map(([kind, term]) => (
          <Fragment key={kind}>
            <dt>{kind}</dt>
            <dd>{term}</dd>
          </Fragment>
        ))}
      </dl>
    </Panel>
  )
}
