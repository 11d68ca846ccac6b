import { Text, Tooltip } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { plainText } from '../../ui/plain-text.ts'
import { originName } from '../../api/origin.ts'
import { type AskSearch, without } from './ask-search.ts'
import classes from './marker.module.css'

/** A passage used for an answer, or found by a search. */
export interface Passage {
  sourceItemId: string
  title: string
  content: string
  url: string
  provider: string
}

/** Passages by number, starting at 1. A stored answer has only the cited ones. */
export type Passages = readonly (Passage | undefined)[]

const MARKERS = /\[(\d{1,3})\]/g
const LAST_WORD = /(?<!\S)\S{1,24}\s*$/
const PREVIEW_CHARACTERS = 320

/** A citation of an answer, or a search result. */
export interface Citation {
  /** The number of the passage, starting at 1. */
  at: number
  /** Which of the passage's markers it is, starting at 1. Search results have none. */
  mention?: number
}

/** The markers of passages, in the order of the text. */
export function citationsIn(text: string, passages: Passages): Citation[] {
  const mentions = new Map<number, number>()
  return [...text.matchAll(MARKERS)].flatMap(([, number]) => {
    const at = Number(number)
    if (passages[at - 1] === undefined) return []
    const mention = (mentions.get(at) ?? 0) + 1
    mentions.set(at, mention)
    return { at, mention }
  })
}

/** The numbers of the cited passages, in the order in which the text first cites them. */
export function citedIn(text: string, passages: Passages): number[] {
  return [...new Set(citationsIn(text, passages).map(({ at }) => at))]
}

/** What markers of a text show: its passages, and those that the whole answer cites, in the order of `citedIn`. */
export interface Citing {
  passages: Passages
  cited: readonly number[]
  /** The stored answer that cites them. Without it, the latest answer. */
  turn?: string
}

/** Turns each marker of a text into a link with a preview, numbered in order. Markers without a passage stay text. */
export function withMarkers(text: string, { passages, cited, turn }: Citing): ReactNode {
  const pieces: ReactNode[] = []
  let from = 0
  for (const found of text.matchAll(MARKERS)) {
    const number = Number(found[1])
    const passage = passages[number - 1]
    if (passage === undefined) continue
    const label = cited.indexOf(number) + 1
    const [start, word] = beforeLastWord(text.slice(from, found.index))
    pieces.push(
      start,
      <span key={found.index} className={classes.word}>
        {word}
        <Marker label={label} number={number} passage={passage} turn={turn} />
      </span>,
    )
    from = found.index + found[0].length
  }
  return from === 0 ? text : [...pieces, text.slice(from)]
}

/** Splits off the last word, with which a marker stays in one line. A long one would widen the page. */
function beforeLastWord(text: string): [string, string] {
  const word = LAST_WORD.exec(text)?.[0] ?? ''
  return [text.slice(0, text.length - word.length), word]
}

/** The text with its markers numbered as `withMarkers` shows them. */
export function renumbered(text: string, cited: readonly number[]): string {
  return text.replaceAll(MARKERS, (marker, number) => {
    const place = cited.indexOf(Number(number))
    return place === -1 ? marker : `[${place + 1}]`
  })
}

/** The number of a passage: previews it on hover or focus, and opens it in its document. */
function Marker({
  label,
  number,
  passage,
  turn,
}: {
  label: number
  number: number
  passage: Passage
  turn: string | undefined
}) {
  const open = useOpenPassage()
  return (
    <Tooltip
      multiline
      w="min(24rem, calc(100vw - 2rem))"
      p="sm"
      openDelay={120}
      events={{ hover: true, focus: true, touch: false }}
      label={<Preview passage={passage} />}
    >
      <button
        type="button"
        className={classes.marker}
        aria-label={`Source ${label}: ${passage.title}`}
        data-passage={number}
        onClick={({ currentTarget }) => open(passage, number, { turn, mention: mentionOf(currentTarget) })}
      >
        {label}
      </button>
    </Tooltip>
  )
}

function Preview({ passage }: { passage: Passage }) {
  const { title, content, provider } = passage
  const text = plainText(content)
  const isLong = text.length > PREVIEW_CHARACTERS
  return (
    <span className={classes.preview}>
      <Text component="span" size="sm" fw={600}>
        {title}
      </Text>
      {provider !== '' && (
        <Text component="span" size="xs">
          {originName(passage)}
        </Text>
      )}
      {text !== '' && (
        <Text component="span" size="sm" className={classes.passage}>
          {isLong ? `${text.slice(0, PREVIEW_CHARACTERS).trimEnd()}…` : text}
        </Text>
      )}
    </span>
  )
}

/** Which of the markers of its passage this one is in its answer, starting at 1; undefined outside an answer. */
function mentionOf(marker: HTMLElement): number | undefined {
  const answer = marker.closest('[data-answer]')
  if (answer === null) return undefined
  return [...answer.querySelectorAll(`[data-passage="${marker.dataset.passage}"]`)].indexOf(marker) + 1
}

/** Opens a passage, given its number, in its document. The URL records it, so that Back closes it. */
export function useOpenPassage(): (
  passage: Passage,
  at: number,
  of?: { turn?: string | undefined; mention?: number | undefined },
) => void {
  const navigate = useNavigate({ from: '/ask' })
  return ({ sourceItemId }, at, { turn, mention } = {}) =>
    void navigate({
      search: (search: AskSearch) => ({
        ...without(search, 'turn', 'mention'),
        item: sourceItemId,
        at,
        ...(turn === undefined ? {} : { turn }),
        ...(mention === undefined ? {} : { mention }),
      }),
      resetScroll: false,
    })
}
