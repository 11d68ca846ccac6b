import { Box, Drawer } from '@mantine/core'
import { useMediaQuery, useWindowEvent } from '@mantine/hooks'
import type { Schemas } from '../../api/client.ts'
import { useSourceItem } from '../../data/use-source-item.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { ItemGone } from '../../ui/item-gone.tsx'
import { ItemOrigin } from '../../ui/item-origin.tsx'
import { TextLink } from '../../ui/links.tsx'
import { MailHead } from '../../ui/mail-head.tsx'
import { Reading } from '../../ui/reading.tsx'
import { ItemChunks } from '../sources/item-chunks.tsx'
import { ItemReaders } from '../sources/item-readers.tsx'
import type { AskSearch } from './ask-search.ts'
import { CitationPager, keyedCitation } from './citation-pager.tsx'
import { CopyAddress } from './copy-link.tsx'
import type { Citation, Passage } from './marker.tsx'
import classes from './source-panel.module.css'
import { StoredText } from './stored-text.tsx'

const WIDE = '(min-width: 62em)'

/** The open citation: the text that cites the document, which passage, and by which of its markers. */
interface Cited {
  /** Null for search results. */
  answer: string | null
  at: number | undefined
  mention: number | undefined
  passage: Passage | undefined
}

/**
 * A stored document with its cited sentences highlighted, beside the page or full width on narrow screens.
 * @param itemId the panel is closed if undefined
 * @param citations those to page through
 * @param link opens the same citation again
 */
export function SourcePanel({
  itemId,
  cited,
  citations,
  link,
  onGo,
  onClose,
}: {
  itemId: string | undefined
  cited: Cited
  citations: readonly Citation[]
  link: AskSearch
  onGo: (citation: Citation) => void
  onClose: () => void
}) {
  const { answer, at, mention, passage } = cited
  const open = at === undefined ? undefined : { at, ...(mention !== undefined && { mention }) }
  const isWide = useMediaQuery(WIDE, true, { getInitialValueInEffect: false })
  const item = useSourceItem(itemId)
  // The passage's origin until the document is loaded.
  const origin = item.data ?? passage ?? { provider: '', url: null }
  useWindowEvent('keydown', (event) => {
    const next = keyedCitation(event, open, citations)
    if (next !== undefined) onGo(next)
  })
  return (
    <Drawer.Root
      opened={itemId !== undefined}
      onClose={onClose}
      position="right"
      size={isWide ? '44rem' : '100%'}
    >
      <Drawer.Overlay backgroundOpacity={isWide ? 0.12 : 0.4} />
      <Drawer.Content>
        {/* A header element would be a second banner landmark. */}
        <div className={classes.head}>
          <Drawer.Title className={classes.title}>
            {item.data?.title ?? passage?.title ?? 'Source'}
          </Drawer.Title>
          <Drawer.CloseButton aria-label="Close the source" />
        </div>
        <Drawer.Body>
          <div className={classes.tools}>
            {open && (
              <CitationPager open={open} citations={citations} isCited={answer !== null} onGo={onGo} />
            )}
            <CopyAddress search={link} label="Copy link" isLabeled />
          </div>
          <Box mb="md">
            <ItemOrigin provider={origin.provider} url={origin.url} item={item.data} />
          </Box>
          {item.error?.status === 404 ? (
            <ItemGone />
          ) : (
            <Reading query={item}>{(found) => <Stored item={found} cited={cited} />}</Reading>
          )}
        </Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  )
}

/** The text and, for admins, its readers. */
function Stored({
  item,
  cited: { answer, at, mention, passage },
}: {
  item: Schemas['SourceItem']
  cited: Cited
}) {
  const { isAdmin } = useWorkspace()
  return (
    <>
      <MailHead item={item} />
      <StoredText
        key={`${item.id} ${at} ${mention}`}
        item={item}
        passage={passage?.content ?? ''}
        answer={answer}
        at={at}
        mention={mention}
      />
      <div className={classes.more}>
        <ItemChunks itemId={item.id} />
      </div>
      {isAdmin && (
        <details className={classes.more}>
          <summary>Who may read it</summary>
          <ItemReaders itemId={item.id} isTitled={false} />
          <TextLink to="/sources/items" search={{ item: item.id }}>
            Show the stored item
          </TextLink>
        </details>
      )}
    </>
  )
}
