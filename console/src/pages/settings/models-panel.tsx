import { Alert, Button, Code, Text, Title } from '@mantine/core'
import { CircleAlert } from 'lucide-react'
import { Fragment, type ReactNode } from 'react'
import { ErrorNotice } from '../../ui/error-state.tsx'
import { formatNumber } from '../../ui/format.ts'
import { Panel } from '../../ui/panel.tsx'
import { Reading } from '../../ui/reading.tsx'
import { Status } from '../../ui/status.tsx'
import { SECTIONS } from './settings-sections.ts'
import classes from './settings.module.css'
import { useScrollToSection } from './use-scroll-to-section.ts'
import { type ModelKind, type ModelSetting, useModels, useTestModel } from './use-models.ts'

/** The models of the service, where they are configured, and a test of each. Only the operator changes them. */
export function ModelsPanel() {
  const models = useModels()
  useScrollToSection(!models.isPending)
  return (
    <Panel {...SECTIONS.models} text="Set in the environment of the service.">
      <Reading query={models}>
        {({ language, embedding }) => (
          <div className={classes.models}>
            <Model kind="language" title="Language model" setting={language} />
            <Model kind="embedding" title="Embedding model" setting={embedding} />
          </div>
        )}
      </Reading>
    </Panel>
  )
}

function Model({ kind, title, setting }: { kind: ModelKind; title: string; setting: ModelSetting }) {
  const test = useTestModel(kind)
  return (
    <section className={classes.model} aria-label={title}>
      <header>
        <Title order={3} size="h6">
          {title}
        </Title>
        {setting.model !== null && (
          <Button
            variant="default"
            size="xs"
            loading={test.isPending}
            onClick={() => test.mutate()}
            aria-label={`Test the ${title.toLowerCase()}`}
          >
            Test
          </Button>
        )}
      </header>
      <dl className={classes.facts}>
        <dt>Model</dt>
        <dd>{setting.model === null ? 'None' : <Code>{setting.model}</Code>}</dd>
        <dt>Set by</dt>
        <dd>{setterWords(kind, setting)}</dd>
        {setting.variables.map(({ name, value }) => (
          <Fragment key={name}>
            <dt>
              <Code>{name}</Code>
            </dt>
            <dd>{value === null ? 'Set, not shown' : value}</dd>
          </Fragment>
        ))}
      </dl>
      <div role="status">
        {test.data?.ok && (
          <Status tone="good">{`Works: answered in ${formatNumber(test.data.milliseconds)} ms`}</Status>
        )}
        {test.data?.ok === false && (
          <Alert color="red" icon={<CircleAlert size={18} aria-hidden />} title={test.data.problem}>
            {test.data.detail !== null && <Code>{test.data.detail}</Code>}
          </Alert>
        )}
      </div>
      {test.error && <ErrorNotice error={test.error} />}
    </section>
  )
}

function setterWords(kind: ModelKind, { setBy }: ModelSetting): ReactNode {
  switch (setBy) {
    case 'environment':
      return "The service's environment"
    case 'default':
      return kind === 'embedding' ? (
        <>
          Default: the built-in one. Set <Code>EMBEDDING_PROVIDER</Code> to use another.
        </>
      ) : (
        <Text span inherit>
          Default: answers quote the passages. Set <Code>LLM_PROVIDER</Code> and <Code>LLM_API_KEY</Code> to
          have them written.
        </Text>
      )
  }
}
