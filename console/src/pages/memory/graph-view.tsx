import { ActionIcon, Tooltip, useComputedColorScheme } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { Maximize, Minus, Plus } from 'lucide-react'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { useIsSlow } from '../../ui/use-is-slow.ts'
import { drawGraph, type GraphDrawing } from './draw-graph.ts'
import classes from './graph-view.module.css'
import type { CanvasEdge, CanvasNode } from './kinds.ts'
import { layOut } from './lay-out.ts'
import { type Stage, stageOf } from './spread.ts'

interface GraphProps {
  nodes: readonly CanvasNode[]
  edges: readonly CanvasEdge[]
  chosen: string | undefined
  /** Names to highlight with the chosen one, in addition to its neighbors in the graph. */
  related: ReadonlySet<string>
  onChoose: (id: string | null) => void
}

const ZOOMS = [
  { direction: 'in', label: 'Zoom in', icon: Plus },
  { direction: 'out', label: 'Zoom out', icon: Minus },
  { direction: 'all', label: 'Fit to view', icon: Maximize },
] as const

/** The graph, for pointer devices. The table has the same data in an accessible form. */
export function GraphView(props: GraphProps) {
  const isUpright = useMediaQuery('(orientation: portrait)', undefined, { getInitialValueInEffect: false })
  // Laid out again for the other shape when a phone is turned.
  return <Graph key={String(isUpright)} {...props} />
}

function Graph(props: GraphProps) {
  const { container, drawing, isReady, problem } = useDrawing(props)
  const isSlow = useIsSlow(!isReady && problem === null)
  return (
    <div className={classes.stage}>
      <div ref={container} className={classes.canvas} aria-hidden data-ready={isReady} />
      {isSlow && <div className={classes.waiting}>Laying out {props.nodes.length} names…</div>}
      {problem !== null && (
        <div className={classes.waiting} role="alert">
          {problem} The table shows the same.
        </div>
      )}
      <div className={classes.zooms}>
        {ZOOMS.map(({ direction, label, icon: Icon }) => (
          <Tooltip key={direction} label={label} position="left">
            <ActionIcon
              variant="default"
              size="lg"
              aria-label={label}
              onClick={() => drawing.current?.zoom(direction)}
            >
              <Icon size={16} aria-hidden />
            </ActionIcon>
          </Tooltip>
        ))}
      </div>
    </div>
  )
}

function useDrawing({ nodes, edges, chosen, related, onChoose }: GraphProps) {
  const scheme = useComputedColorScheme('light')
  const container = useRef<HTMLDivElement>(null)
  const drawing = useRef<GraphDrawing>(null)
  const [isReady, setIsReady] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const choose = useEffectEvent((id: string | null) => onChoose(id))
  const draw = useEffectEvent((given: Parameters<typeof drawGraph>[1]) => {
    if (container.current === null) return
    drawing.current = drawGraph(container.current, given, { scheme, onChoose: (id) => choose(id) })
    drawing.current.choose(chosen ?? null, related)
    setIsReady(true)
  })
  useEffect(() => {
    const leaving = new AbortController()
    const { signal } = leaving
    if (container.current === null) return undefined
    const { clientWidth: width, clientHeight: height } = container.current
    const stage = stageOf({ width, height })
    void withPositions(
      { nodes, edges, stage },
      signal,
      (positions) => draw({ nodes, edges, positions }),
      setProblem,
    )
    return () => {
      leaving.abort()
      drawing.current?.close()
      drawing.current = null
      setIsReady(false)
      setProblem(null)
    }
  }, [nodes, edges])
  useEffect(() => {
    drawing.current?.choose(chosen ?? null, related)
  }, [chosen, related])
  useEffect(() => {
    drawing.current?.setScheme(scheme)
  }, [scheme])
  return { container, drawing, isReady, problem }
}

/** Computes the layout, then draws it unless `signal` aborts. Reports errors as text. */
async function withPositions(
  { nodes, edges, stage }: Pick<GraphProps, 'nodes' | 'edges'> & { stage: Stage },
  signal: AbortSignal,
  draw: (positions: Float32Array) => void,
  onProblem: (problem: string) => void,
): Promise<void> {
  try {
    const positions = await layOut(nodes, edges, stage, signal)
    if (!signal.aborted) draw(positions)
  } catch (error) {
    if (!signal.aborted) onProblem(error instanceof Error ? error.message : String(error))
  }
}
