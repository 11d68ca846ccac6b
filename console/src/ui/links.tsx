import { Anchor, Button, type ButtonProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import { ExternalLink } from 'lucide-react'
import type { ComponentPropsWithRef, ReactNode } from 'react'

const SAFE = new Set(['http:', 'https:', 'mailto:'])

/** The URL if its scheme is http, https, or mailto; otherwise null. */
export function safeAddress(address: string): string | null {
  const url = URL.parse(address)
  return url !== null && SAFE.has(url.protocol) ? url.href : null
}

/** A link to an item's original. Unsafe URLs are shown as text: `plain`, or the children. */
export function SourceLink({
  href,
  plain,
  children,
}: {
  href: string | null
  plain?: string
  children: ReactNode
}) {
  const safe = href === null ? null : safeAddress(href)
  if (safe === null) return <span>{plain ?? children}</span>
  return (
    <Anchor href={safe} target="_blank" rel="noopener noreferrer" inherit>
      {children} <ExternalLink size={12} aria-label="opens another site" />
    </Anchor>
  )
}

type AnchorButtonProps = ButtonProps & Omit<ComponentPropsWithRef<'a'>, keyof ButtonProps>

function AnchorButton(props: AnchorButtonProps) {
  return <Button component="a" {...props} />
}

/** A router link that looks like a button. */
export const ButtonLink = createLink(AnchorButton)

export const TextLink = createLink(Anchor<'a'>)

/** An item's title, linked to its original, or to its stored text if it has no URL, as with files. */
export function ItemTitle({ id, title, url }: { id: string; title: string; url: string | null }) {
  if (url !== null && safeAddress(url) !== null) return <SourceLink href={url}>{title}</SourceLink>
  return (
    <TextLink to="/ask" search={{ item: id }} inherit>
      {title}
    </TextLink>
  )
}
