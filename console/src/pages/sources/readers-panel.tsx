import { Alert, Button, Group, Radio, Stack, Text, Textarea } from '@mantine/core'
import { TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { providerFacts, providerName } from '../../api/provider-list.ts'
import { ErrorNotice } from '../../ui/error-state.tsx'
import { count } from '../../ui/format.ts'
import { Panel } from '../../ui/panel.tsx'
import { Reading } from '../../ui/reading.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { PermissionsOff } from './permissions-off.tsx'
import type { Source } from './source-words.ts'
import {
  type Audience,
  type SourcePermissions,
  useChooseAudience,
  useSourcePermissions,
} from './use-readers.ts'

/** Who may read the source's items, and how fresh that is. */
export function ReadersPanel({ source }: { source: Source }) {
  const permissions = useSourcePermissions(source.id)
  return (
    <Panel title="Permissions">
      <PermissionsOff />
      <Reading query={permissions}>
        {(found) => {
          switch (found.kind) {
            case 'items':
              return <FromProvider source={source} permissions={found} />
            case 'audience':
              return (
                <AudienceChoice key={JSON.stringify(found.audience)} source={source} permissions={found} />
              )
            case 'pushed':
              return <Text size="sm">Each pushed document carries its access policy.</Text>
          }
        }}
      </Reading>
    </Panel>
  )
}

function FromProvider({ source, permissions }: { source: Source; permissions: SourcePermissions }) {
  const name = providerName(source.provider) ?? source.provider
  const { people, groups, checkedAt, errorMessage } = permissions
  return (
    <Stack gap="sm">
      {errorMessage !== null && (
        <Alert
          color="orange"
          icon={<TriangleAlert size={18} aria-hidden />}
          title={`${name} permissions could not be read`}
        >
          <Text size="sm">{errorMessage}</Text>
          <Text size="sm">The last known permissions stay in force.</Text>
        </Alert>
      )}
      <Text size="sm">
        {name} says who may read each item.
        {people + groups > 0 && ` Known: ${knownInWords(people, groups)}.`}
      </Text>
      <Text size="sm" c="dimmed">
        {checkedAt === null ? (
          'Not read yet.'
        ) : (
          <>
            Read <RelativeTime at={checkedAt} />, and{' '}
            {providerFacts(source.provider).pollMinutes === undefined ? 'every four minutes' : 'once a day'}.
          </>
        )}
        {source.status === 'disabled' && ' Not while the source is paused.'}
      </Text>
    </Stack>
  )
}

function knownInWords(people: number, groups: number): string {
  const known = [people > 0 && count(people, 'person', 'people'), groups > 0 && count(groups, 'group')]
  return known.filter((part) => part !== false).join(' and ')
}

const ADDRESSES = 'addresses'

function AudienceChoice({ source, permissions }: { source: Source; permissions: SourcePermissions }) {
  const name = providerName(source.provider) ?? source.provider
  const { audience, connector } = permissions
  const choose = useChooseAudience(source.id)
  const [choice, setChoice] = useState(typeof audience === 'string' ? audience : ADDRESSES)
  const [text, setText] = useState(Array.isArray(audience) ? audience.join('\n') : '')
  const wanted: Audience =
    choice === 'everyone' || choice === 'connector'
      ? choice
      : text.split(/[\s,;]+/).filter((one) => one !== '')
  const isSame = JSON.stringify(wanted) === JSON.stringify(audience)
  return (
    <Stack gap="md">
      <Alert
        color="orange"
        icon={<TriangleAlert size={18} aria-hidden />}
        title={`${name} does not say who may read an item`}
      >
        Everyone you choose can read every item of this source.
      </Alert>
      <Radio.Group label="Readers" value={choice} onChange={setChoice}>
        <Stack gap="xs" mt="xs">
          <Radio
            value="connector"
            label={
              connector === source.externalAccountId
                ? 'The owner of the mailbox'
                : 'The person who connected it'
            }
            description={connector ?? 'No one can read it, because no verified address is known.'}
          />
          <Radio
            value="everyone"
            label="Everyone"
            description="Includes people outside this workspace on whose behalf an agent asks."
          />
          <Radio value={ADDRESSES} label="These people" />
        </Stack>
      </Radio.Group>
      {choice === ADDRESSES && (
        <Textarea
          aria-label="Addresses"
          placeholder="ada@example.com"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          autosize
          minRows={3}
          maxRows={12}
        />
      )}
      {choose.error && <ErrorNotice error={choose.error} />}
      <Group>
        <Button onClick={() => choose.mutate(wanted)} loading={choose.isPending} disabled={isSame}>
          Save readers
        </Button>
      </Group>
    </Stack>
  )
}
