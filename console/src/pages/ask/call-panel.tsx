import { SegmentedControl, Text } from '@mantine/core'
import { useState } from 'react'
import { useConsole } from '../../session/context.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import classes from './call-panel.module.css'
import { type Call, snippetsOf } from './snippets.ts'

/** The question as an API request to copy. */
export function CallPanel({ call }: { call: Call }) {
  const { config } = useConsole()
  const snippets = snippetsOf(call, config.publicUrl)
  const [language, setLanguage] = useState<string>(snippets[0]?.language ?? '')
  const snippet = snippets.find((one) => one.language === language)
  return (
    <details className={classes.calls}>
      <summary>Do the same from code</summary>
      <div className={classes.head}>
        <SegmentedControl
          size="xs"
          aria-label="Language"
          data={snippets.map((one) => one.language)}
          value={language}
          onChange={setLanguage}
        />
        {snippet && <CopyButton value={snippet.code} label={`Copy as ${snippet.language}`} />}
      </div>
      {snippet && (
        <>
          {/* Keyboard users need the focus to scroll long lines. */}
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
          <pre className={classes.code} tabIndex={0} role="region" aria-label={`As ${snippet.language}`}>
            {snippet.code}
          </pre>
          <Text size="sm" c="dimmed">
            {snippet.hint}
          </Text>
        </>
      )}
    </details>
  )
}
