import { ArrowLeft } from 'lucide-react'
import classes from './back-link.module.css'
import { TextLink } from './links.tsx'

/** The link to the page above, before a page's heading. */
export function BackLink({ to, children }: { to: '/sources' | '/developers'; children: string }) {
  return (
    <TextLink to={to} className={classes.back ?? ''}>
      <ArrowLeft size={15} aria-hidden /> {children}
    </TextLink>
  )
}
