import { Modal } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { unwrap } from '../../api/client.ts'
import { useRead } from '../../data/use-api.ts'
import { count } from '../../ui/format.ts'
import { providerName } from '../../api/provider-list.ts'
import { Reading } from '../../ui/reading.tsx'
import { TypedConfirmation } from '../../ui/typed-confirmation.tsx'
import { useReturnFocus } from '../../ui/use-return-focus.ts'
import classes from './remove-source-dialog.module.css'
import { isPushOnly, nameOf, type Source } from './source-words.ts'
import { useRemoveSource } from './use-source-changes.ts'

/** Shows how much the deletion would remove. If that includes items, the user has to type the source's name. */
export function RemoveSourceDialog({ source, onClose }: { source: Source; onClose: () => void }) {
  useReturnFocus()
  const removal = useRead(
    ['removal', source.id],
    async (api, signal) => {
      const params = { path: { id: source.id } }
      return (await unwrap(api.GET('/v1/console/sources/{id}/removal', { params, signal }))).removal
    },
    { staleTime: 0, gcTime: 0 },
  )
  return (
    <Modal opened onClose={onClose} title={`Delete ${nameOf(source)}?`}>
      <Reading query={removal}>
        {(counted) => <Confirmation source={source} counted={counted} onClose={onClose} />}
      </Reading>
    </Modal>
  )
}

type Removal = Record<'items' | 'chunks' | 'itemsKept' | 'syncRuns', number>

function Confirmation({
  source,
  counted,
  onClose,
}: {
  source: Source
  counted: Removal
  onClose: () => void
}) {
  const navigate = useNavigate()
  const remove = useRemoveSource(source.id, () => void navigate({ to: '/sources' }))
  return (
    <TypedConfirmation
      name={counted.items === 0 ? null : nameOf(source)}
      confirm="Delete the source"
      work={remove}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      <ul className={classes.counted}>
        <li>
          {counted.items === 0
            ? 'It has no items.'
            : `${count(counted.items, 'item')} with ${count(counted.chunks, 'passage')} will be deleted.`}
        </li>
        {counted.itemsKept > 0 && (
          <li>{`${count(counted.itemsKept, 'item')} that another source also has will stay.`}</li>
        )}
        {counted.syncRuns > 0 && (
          <li>{`${count(counted.syncRuns, 'run')} will be deleted from the history.`}</li>
        )}
        {!isPushOnly(source) && (
          <li>{`Access to ${providerName(source.provider) ?? 'the account'} will be revoked.`}</li>
        )}
      </ul>
    </TypedConfirmation>
  )
}
