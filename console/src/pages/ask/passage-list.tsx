import { Text, VisuallyHidden } from '@mantine/core'
import { isFile } from '../../api/origin.ts'
import { FileIcon, ProviderIcon } from '../../ui/provider.tsx'
import { SourceLink } from '../../ui/links.tsx'
import { plainText } from '../../ui/plain-text.ts'
import { providerIds, providerName } from '../../api/provider-list.ts'
import { type Passage, useOpenPassage } from './marker.tsx'
import classes from './passage-list.module.css'

/** The cited passages in the order of their markers, followed by the other passages that the answer used. */
export function PassageList({
  passages,
  cited,
  isDone,
  otherLabel,
}: {
  passages: readonly Passage[]
  cited: readonly number[]
  /** Whether the answer is complete. Until then it can still cite any passage. */
  isDone: boolean
  otherLabel: string
}) {
  const others = passages.map((_, at) => at + 1).filter((number) => !cited.includes(number))
  return (
    <>
      {cited.length > 0 && (
        <section aria-label="Cited passages" className={classes.part}>
          <Numbered numbers={cited} passages={passages} first={1} />
        </section>
      )}
      {isDone && others.length > 0 && (
        <details className={classes.part}>
          <summary>
            {otherLabel} ({others.length})
          </summary>
          <Numbered numbers={others} passages={passages} first={cited.length + 1} />
        </details>
      )}
    </>
  )
}

function Numbered({
  numbers,
  passages,
  first,
}: {
  numbers: readonly number[]
  passages: readonly Passage[]
  /** The number to show for the first passage. */
  first: number
}) {
  const open = useOpenPassage()
  return (
    <ol className={classes.list}>
      {numbers.map((number, place) => {
        const passage = passages[number - 1]
        if (passage === undefined) return null
        const provider = providerIds().find((id) => id === passage.provider)
        const name = providerName(passage.provider) ?? 'its source'
        return (
          <li key={number} className={classes.passage}>
            <span className={classes.number} aria-hidden>
              {first + place}
            </span>
            <div className={classes.words}>
              <button type="button" className={classes.title} onClick={() => open(passage, number)}>
                {passage.title}
              </button>
              <Text size="sm" c="dimmed" lineClamp={2}>
                {plainText(passage.content)}
              </Text>
            </div>
            <div className={classes.origin}>
              {isFile(passage) ? <FileIcon /> : provider && <ProviderIcon id={provider} />}
              {passage.url !== '' && (
                <SourceLink href={passage.url}>
                  <VisuallyHidden>{passage.title} at </VisuallyHidden>
                  {name}
                </SourceLink>
              )}
            </div>
          </li>
        )
      })}
    </ol>
  )
}
