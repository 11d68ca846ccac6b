import { type CanvasNode, KINDS, kindOf, NODE_KINDS } from './kinds.ts'
import classes from './legend.module.css'

/** The color of each kind, with counts. */
export function Legend({ nodes }: { nodes: readonly CanvasNode[] }) {
  const counts = new Map<string, number>()
  for (const node of nodes) counts.set(kindOf(node), (counts.get(kindOf(node)) ?? 0) + 1)
  return (
    <ul className={classes.legend} aria-label="Kinds">
      {NODE_KINDS.filter((kind) => counts.has(kind)).map((kind) => (
        <li key={kind}>
          <KindDot kind={kind} />
          {KINDS[kind].many} <span className={classes.count}>{counts.get(kind)}</span>
        </li>
      ))}
    </ul>
  )
}

/** A dot in the kind's color. Hidden from screen readers, because the name is beside it. */
export function KindDot({ kind }: { kind: keyof typeof KINDS }) {
  const { light, dark } = KINDS[kind]
  return <span className={classes.dot} aria-hidden style={{ background: `light-dark(${light}, ${dark})` }} />
}
