import { Fragment } from 'react'
import type { Retention } from '../../../../src/console/page-config.ts'
import { useConsole } from '../../session/context.tsx'
import { count } from '../../ui/format.ts'
import { Panel } from '../../ui/panel.tsx'
import { SECTIONS } from './settings-sections.ts'
import classes from './settings.module.css'

/** How long each kind of data is stored. Nothing here can be changed. */
export function RetentionPanel() {
  const { retention } = useConsole().config
  return (
    <Panel {...SECTIONS.retention} text="How long each kind of data is stored.">
      <dl className={classes.terms}>
        {termsOf(retention).map(([kind, term]) => (
          <Fragment key={kind}>
            <dt>{kind}</dt>
            <dd>{term}</dd>
          </Fragment>
        ))}
      </dl>
    </Panel>
  )
}

function termsOf(retention: Retention): readonly (readonly [string, string])[] {
  const { threadsMax, turnsMax, evaluationRunsMax, requestsMax, withoutWorkspaceDays } = retention
  return [
    ['Items', 'Until they are deleted here or at their source.'],
    [
      'Deleted items',
      'Text, passages and vectors are deleted at once, and cannot be restored. Items of a deleted source are hidden at once and deleted in the background. Answers that cite a deleted item are hidden.',
    ],
    [
      'Questions and answers',
      `Until you delete them or leave the workspace. Beyond ${count(threadsMax, 'thread')} of a person or ${count(turnsMax, 'question')} of a thread, the oldest are deleted.`,
    ],
    ['Evaluation', `Questions until they are deleted, and the last ${count(evaluationRunsMax, 'run')}.`],
    ['Audit trail', 'Until the workspace is deleted. It contains the text of questions and searches.'],
    [
      'Request log',
      `${days(retention.requestLogDays)}, at most the last ${count(requestsMax, 'request')}. Without bodies, query strings and responses.`,
    ],
    ['Usage by day', days(retention.usageDays)],
    ['Sync history', `${days(retention.syncRunDays)} after a sync ends`],
    ['Webhook deliveries', days(retention.webhookDeliveryDays)],
    ['Invitations', `${days(retention.invitationDays)}, until they expire`],
    [
      'People',
      `Names of former members until the workspace is deleted. People without a workspace are deleted ${days(withoutWorkspaceDays)} after their last sign-in.`,
    ],
    [
      'Backups',
      "The service creates none automatically. Deleted data remains in the operator's backups as long as they exist.",
    ],
  ]
}

const days = (number: number): string => count(number, 'day')
