import { Autocomplete } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Status } from '../../ui/status.tsx'
import { useTitledItems } from './use-titled-items.ts'

const SUGGESTED = 8
/** Fits between the field and the end of the dialog. */
const LISTED_HEIGHT = 148

/** The expected page, with titles of stored items to choose from. An unknown one is warned of and can be saved. */
export function PageField({
  value,
  isFocused,
  maxLength,
  onChange,
}: {
  value: string
  isFocused: boolean
  maxLength: number
  onChange: (page: string) => void
}) {
  const [isListing, listing] = useDisclosure(false)
  const { titles, warning } = useTitledItems(value)
  // While titles are suggested, what is typed is not the whole title yet.
  const isWarned = warning !== null && (!isListing || titles.length === 0)
  return (
    <Autocomplete
      label="Page"
      description={
        <span role="status">
          {isWarned ? (
            <Status tone="waiting">{warning}</Status>
          ) : (
            'The title, the URL or the ID of the item that answers it.'
          )}
        </span>
      }
      data={titles}
      limit={SUGGESTED}
      openOnFocus={false}
      // In a portal, the options would be outside the dialog.
      comboboxProps={{ withinPortal: false }}
      maxDropdownHeight={LISTED_HEIGHT}
      onDropdownOpen={listing.open}
      onDropdownClose={listing.close}
      value={value}
      onChange={onChange}
      maxLength={maxLength}
      data-autofocus={isFocused || undefined}
    />
  )
}
