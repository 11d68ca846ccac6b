import { ArrowLeft } from 'lucide-react'
import { TextLink } from '../../ui/links.tsx'
import classes from './back-link.module.css'

/** The link back to the Sources page, above a page's heading. */
export function BackToSources() {
  return (
    <TextLink to="/sources" className={classes.back ?? ''}>
      <ArrowLeft size={15} aria-hidden /> Sources
    </TextLink>
  )
}
