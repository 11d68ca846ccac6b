import { type KeyboardEvent, useEffect, useRef } from 'react'

/** Focuses the field when it appears, except on touch screens, where the keyboard would cover the page. */
export function useFocusAtFirst(isWanted: boolean) {
  const box = useRef<HTMLTextAreaElement>(null)
  const wanted = useRef(isWanted)
  useEffect(() => {
    if (wanted.current && matchMedia('(pointer: fine)').matches) box.current?.focus({ preventScroll: true })
  }, [])
  return box
}

/** Enter submits; Shift+Enter starts a new line, and Enter that ends a composition of letters does neither. */
export const onEnter =
  (submit: () => void) =>
  (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    submit()
  }
