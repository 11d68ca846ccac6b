import { Anchor, Button, Drawer, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'
import { ItemFacts } from '../../ui/item-facts.tsx'
import { SourceLink } from '../../ui/links.tsx'
import { providerName } from '../../api/provider-list.ts'
import { Reading } from '../../ui/reading.tsx'
import { useSourceItem } from '../../data/use-source-item.ts'
import { beginningOf, locatePassage } from './locate-passage.ts'
import type { Passage } from './marker.tsx'
import classes from './source-panel.module.css'

const WIDE = '(min-width: 62em)'

/**
 * A stored document beside the page, or over all of a narrow screen, with the passage marked in its place.
 * @param itemId closed while undefined
 */
export function SourcePanel({
  itemId,
  passage,
  onClose,
}: {
  itemId: string | undefined
  passage: Passage | undefined
  onClose: () => void
}) {
  const isWide = useMediaQuery(WIDE, true, { getInitialValueInEffect: false })
  const item = useSourceItem(itemId)
  const title = item.data?.title ?? passage?.title ?? 'Source'
  const url = item.data?.url ?? passage?.url ?? ''
  const provider = item.data?.provider ?? passage?.provider
  return (
    <Drawer.Root
      opened={itemId !== undefined}
      onClose={onClose}
      position="right"
      size={isWide ? '40rem' : '100%'}
    >
      <Drawer.Overlay backgroundOpacity={isWide ? 0.12 : 0.4} />
      <Drawer.Content>
        {/* No header element, which would be a second banner of the page. */}
        <div className={classes.head}>
          <Drawer.Title className={classes.title}>{title}</Drawer.Title>
          <Drawer.CloseButton aria-label="Close the source" />
        </div>
        <Drawer.Body>
          <div className={classes.facts}>
            {provider && <ItemFacts provider={provider} item={item.data} />}
            {url !== '' && (
              <SourceLink href={url} plain={url}>
                Open the original
                {provider && ` at ${providerName(provider) ?? provider}`}
              </SourceLink>
            )}
          </div>
          <Reading query={item}>
            {({ body }) => <StoredText key={itemId} body={body} passage={passage?.content ?? ''} />}
          </Reading>
        </Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  )
}

/** The text as it is stored, never as anything that could run. */
function StoredText({ body, passage }: { body: string; passage: string }) {
  const [isWhole, setIsWhole] = useState(false)
  const mark = useRef<HTMLElement>(null)
  const goToPassage = (): void => {
    mark.current?.scrollIntoView({ block: 'center' })
  }
  useEffect(goToPassage, [])
  const located = locatePassage(body, passage, isWhole)
  const all = (
    <Button variant="default" size="compact-sm" onClick={() => setIsWhole(true)}>
      Show the whole text
    </Button>
  )
  if (located === null) {
    const { text, isCut } = beginningOf(body, isWhole)
    return (
      <>
        {passage !== '' && (
          <Text size="sm" mb="md">
            The document has changed since. This is its current text.
          </Text>
        )}
        <div className={classes.text}>{text}</div>
        {isCut && all}
      </>
    )
  }
  return (
    <>
      <Anchor component="button" type="button" size="sm" mb="sm" onClick={goToPassage}>
        Go to the passage
      </Anchor>
      {located.isCutBefore && <div className={classes.cut}>{all}</div>}
      <div className={classes.text}>
        {located.before}
        <mark ref={mark} className={classes.passage}>
          {located.passage}
        </mark>
        {located.after}
      </div>
      {located.isCutAfter && <div className={classes.cut}>{all}</div>}
    </>
  )
}
