import classes from './brand.module.css'

/** The mark and the name. */
export function Brand() {
  return (
    <div className={classes.brand}>
      <img src="/console/icon.svg" alt="" width={26} height={26} />
      <span>Retrieval Memory</span>
    </div>
  )
}
