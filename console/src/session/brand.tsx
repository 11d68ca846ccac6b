import classes from './brand.module.css'

export function Brand() {
  return (
    <div className={classes.brand}>
      <img src="/console/icon.svg" alt="" width={26} height={26} />
      <span>Retrieval Memory</span>
    </div>
  )
}
