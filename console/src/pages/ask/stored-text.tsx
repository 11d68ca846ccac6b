import { Anchor, Button, Text } from '@mantine/core'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { chatMarkdown, sendersOf } from '../../ui/chat-text.ts'
import { MarkedMarkdown } from '../../ui/markdown.tsx'
import { citedSentences, statementsCiting } from './cited-sentences.ts'
import { beginningOf, locatePassage } from './locate-passage.ts'
import classes from './source-panel.module.css'

/** Longer texts first show only the part around the passage. */
const WHOLE_CHARACTERS_MAX = 60_000
/** Longer texts can scroll their passage out of view. */
const SCREEN_CHARACTERS = 1_500

/** An item's text with its cited sentences highlighted and in view. It never runs scripts. */
export function StoredText({
  item,
  passage,
  answer,
  at,
  mention,
}: {
  item: Pick<Schemas['SourceItem'], 'body' | 'sourceKind' | 'metadata'>
  passage: string
  /** The answer that cites the item as `at`; null without one. */
  answer: string | null
  at: number | undefined
  /** The marker whose statement counts; all by default. */
  mention?: number | undefined
}) {
  const { body, sourceKind } = item
  const senders = sendersOf(item)
  const [isWhole, setIsWhole] = useState(body.length <= WHOLE_CHARACTERS_MAX)
  const text = useRef<HTMLDivElement>(null)
  const statements = useMemo(
    () => (answer === null || at === undefined ? [] : statementsCiting(answer, at, mention)),
    [answer, at, mention],
  )
  const find = useCallback(
    (rendered: string) => citedSentences(rendered, { statements, passage }),
    [statements, passage],
  )
  const goToPassage = (): void => {
    text.current?.querySelector('mark')?.scrollIntoView({ block: 'center' })
  }
  useEffect(goToPassage, [isWhole])
  const located = locatePassage(body, passage, isWhole)
  const shown = located
    ? `${located.before}${located.passage}${located.after}`
    : beginningOf(body, isWhole).text
  const isCut = shown.length < body.length
  return (
    <>
      {located === null && passage !== '' && (
        <Text size="sm" mb="md">
          The document has changed since. This is its current text.
        </Text>
      )}
      {at !== undefined && body.length > SCREEN_CHARACTERS && (
        <Anchor component="button" type="button" size="sm" mb="sm" onClick={goToPassage}>
          Go to the passage
        </Anchor>
      )}
      {isCut && (
        <div className={classes.cut}>
          <Button variant="default" size="compact-sm" onClick={() => setIsWhole(true)}>
            Show the whole text
          </Button>
        </div>
      )}
      <div ref={text} className={classes.text} data-chat={senders !== null}>
        {body === '' ? (
          <Text c="dimmed">No text.</Text>
        ) : (
          <MarkedMarkdown
            text={senders === null ? shown : chatMarkdown(shown, senders)}
            breaks={sourceKind === 'message'}
            find={find}
            className={classes.passage}
          />
        )}
      </div>
    </>
  )
}
