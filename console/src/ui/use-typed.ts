import { useDebouncedCallback } from '@mantine/hooks'
import { useState } from 'react'

const TYPING_MS = 250

/**
 * A search box that updates the URL after a pause in typing, and follows other changes of the URL. The element stays
 * the same, so that it keeps the focus.
 */
export function useTyped(asked: string, onAsk: (text: string) => void): [string, (text: string) => void] {
  const [state, setState] = useState({ asked, text: asked })
  const ask = useDebouncedCallback(onAsk, TYPING_MS)
  const text = state.asked === asked || state.text.trim() === asked ? state.text : asked
  if (state.asked !== asked) setState({ asked, text })
  return [
    text,
    (typed) => {
      setState({ asked, text: typed })
      ask(typed.trim())
    },
  ]
}
