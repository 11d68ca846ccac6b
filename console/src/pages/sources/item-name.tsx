import classes from './item-list.module.css'

/** An item's title, if it is known, and its ID at the provider. */
export function ItemName({
  item: { title, externalId },
}: {
  item: { title: string | null; externalId: string }
}) {
  return (
    <span className={classes.named}>
      {title !== null && <span>{title}</span>}
      <span className={classes.externalId}>{externalId}</span>
    </span>
  )
}
