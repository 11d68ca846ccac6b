import { Select, type SelectProps } from '@mantine/core'

/** A filter of a list by one of several values. `all`: the words for no filter. */
export function FilterSelect<Value extends string>({
  all,
  value,
  ...select
}: Omit<SelectProps<Value>, 'value' | 'clearable' | 'clearButtonProps'> & {
  all: string
  value: Value | undefined
}) {
  return (
    <Select<Value>
      placeholder={all}
      {...select}
      value={value ?? null}
      clearable
      clearButtonProps={{ 'aria-label': all }}
    />
  )
}
