import { Checkbox, SimpleGrid, Stack, Switch } from '@mantine/core'
import { type ProviderId, providerIds, providerName } from '../../api/provider-list.ts'
import { useSources } from '../sources/use-sources.ts'
import { alsoIn } from './key-words.ts'
import { ACTIONS, ALL_ACTIONS, type KeyAction } from './key-actions.ts'

/** The actions and providers of a key. `null`: all providers, including future ones. */
export function KeyScope({
  actions,
  areActionsShown,
  onActions,
  providers,
  onProviders,
}: {
  actions: readonly KeyAction[]
  areActionsShown: boolean
  onActions: (actions: readonly KeyAction[]) => void
  providers: readonly ProviderId[] | null
  onProviders: (providers: readonly ProviderId[] | null) => void
}) {
  const sources = useSources().data ?? []
  return (
    <>
      {areActionsShown && (
        <Checkbox.Group
          label="Actions"
          description="No action includes another."
          value={[...actions]}
          onChange={(chosen) => onActions(ALL_ACTIONS.filter((action) => chosen.includes(action)))}
          error={actions.length === 0 ? 'Choose at least one.' : undefined}
        >
          <SimpleGrid cols={{ base: 1, xs: 2 }} mt="xs" spacing="sm">
            {ALL_ACTIONS.map((action) => (
              <Checkbox
                key={action}
                value={action}
                label={action}
                description={ACTIONS[action].description}
              />
            ))}
          </SimpleGrid>
        </Checkbox.Group>
      )}
      <Stack gap="xs">
        <Switch
          label="All providers"
          description="Including providers added later."
          checked={providers === null}
          onChange={(event) => onProviders(event.currentTarget.checked ? null : [])}
        />
        {providers !== null && (
          <Checkbox.Group
            label="Providers"
            description="Choose at least one. The key cannot read the others."
            value={[...providers]}
            onChange={(chosen) => onProviders(providerIds().filter((id) => chosen.includes(id)))}
          >
            <SimpleGrid cols={{ base: 1, xs: 2 }} mt="xs" spacing="sm">
              {providerIds().map((id) => (
                <Checkbox key={id} value={id} label={providerName(id)} description={alsoIn(id, sources)} />
              ))}
            </SimpleGrid>
          </Checkbox.Group>
        )}
      </Stack>
    </>
  )
}
