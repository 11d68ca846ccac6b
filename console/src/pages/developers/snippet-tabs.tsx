import { Tabs } from '@mantine/core'
import { useConsole } from '../../session/context.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import type { Schemas } from '../../api/client.ts'
import { useSources } from '../sources/use-sources.ts'
import { snippetsOf } from './snippets.ts'

/** Code that uses the key, one tab per client. */
export function SnippetTabs({ apiKey, secret }: { apiKey: Schemas['ApiKey']; secret: string }) {
  const { config } = useConsole()
  const sources = useSources()
  const source = sources.data?.find(({ provider }) => apiKey.allowedProviders?.includes(provider) ?? true)
  const snippets = snippetsOf({
    url: config.publicUrl,
    secret,
    actions: apiKey.allowedActions,
    source: source ?? null,
  })
  return (
    <Tabs defaultValue={snippets[0]?.name ?? null} keepMounted={false}>
      <Tabs.List mb="sm">
        {snippets.map(({ name }) => (
          <Tabs.Tab key={name} value={name}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {snippets.map(({ name, text }) => (
        <Tabs.Panel key={name} value={name}>
          <CodeBlock label={`the ${name} example`} text={text} />
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}
