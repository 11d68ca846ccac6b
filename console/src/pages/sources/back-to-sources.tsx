import { ArrowLeft } from 'lucide-react'
import { TextLink } from '../../ui/links.tsx'
import classes from './back-link.module.css'

/** The way back to the list, above the heading of a page below it. */
export function BackToSources() {
  return (
    <TextLink to="/sources" className={classes.back ?? ''}>
      <ArrowLeft size={15} aria-hidden /> Sources
    </TextLink>
  )
}
