import type { Signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { Coordinates } from '../../core/contract/regions.js'
import { Button } from '../ui/controls.js'
import { runAction } from '../ui/screen.js'
import { page } from '../world/page-state.js'
import { fromFrame, type MapFrame, type Point } from './map-layout.js'
import { unproject } from './projection.js'

interface PlayerPinProps {
  readonly place: Coordinates | undefined
  /** The place of its point on the map. */
  readonly at: Point | undefined
  readonly dragged: Signal<Coordinates | undefined>
  readonly frame: MapFrame
}

/** The place of the player. The pointer and the arrow keys move it. */
export function PlayerPin({ place, at, dragged, frame }: PlayerPinProps) {
  const move = useMoves(dragged)
  if (!place || !at)
    return (
      <Button class="no-place" disabled={page.isReadOnly.value} onClick={() => move({ latitude: 50, longitude: 10 })}>
        Set your place
      </Button>
    )
  const steer = (event: KeyboardEvent) => {
    const target = steered(place, event)
    if (!target) return
    event.preventDefault()
    event.stopPropagation()
    move(target)
  }
  return (
    <Button
      class="you"
      disabled={page.isReadOnly.value}
      aria-label={`you, at latitude ${place.latitude.toFixed(1)}, longitude ${place.longitude.toFixed(1)}. The arrow keys move you.`}
      title="Drag to move your place"
      data-inviting={page.isInviting.value || undefined}
      style={{ left: `${at.x}px`, top: `${at.y}px` }}
      onKeyDown={steer}
      onPointerDown={event => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={event => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) dragged.value = placeAt(event, frame)
      }}
      onPointerUp={event => {
        const target = dragged.value && placeAt(event, frame)
        if (target) move(target)
      }}
    >
      <svg width="18" height="24" viewBox="-9 -22 18 24" aria-hidden="true">
        <path d="M0 0l-6-10a7 7 0 1 1 12 0z" />
      </svg>
    </Button>
  )
}

/** Returns a function that moves the player. Until the mock has moved it, its place is the dragged one. */
function useMoves(dragged: PlayerPinProps['dragged']): (location: Coordinates) => void {
  const lastMove = useRef<Promise<unknown>>(Promise.resolve())
  const waiting = useRef(0)
  /** The places that the player has left by moves of this page. Their events may come late, and take no later move back. */
  const left = useRef<readonly Coordinates[]>([])
  const { live } = page
  const client = () => live.tables.settings.get('settings')?.client
  const settle = () => {
    const place = client()
    if (waiting.current > 0 || left.current.some(one => isSamePlace(one, place))) return
    left.current = []
    dragged.value = undefined
  }
  const settings = page.shown.value.tables.settings.get('settings')
  useEffect(settle, [settings, dragged])
  const lastTarget = useRef<Coordinates | undefined>(undefined)
  return location => {
    const target = rounded(location)
    const places = [...left.current, lastTarget.current, client()].filter(place => place != null)
    left.current = places.filter(place => !isSamePlace(place, target))
    lastTarget.current = target
    dragged.value = location
    waiting.current += 1
    const send = async () => {
      const isMoved = await runAction(() => page.api.call('PUT /client', { body: { location: target } }))
      waiting.current -= 1
      if (!isMoved) left.current = []
      settle()
    }
    // One after the other: on two connections, an earlier move could arrive last.
    lastMove.current = lastMove.current.then(send)
  }
}

function isSamePlace(one: Coordinates, other: Coordinates | null | undefined): boolean {
  return one.latitude === other?.latitude && one.longitude === other.longitude
}

/** An arrow key moves the player by this, in degrees. With Shift it moves farther. */
const step = 1
const longStep = 10

function steered({ latitude, longitude }: Coordinates, { key, shiftKey }: KeyboardEvent): Coordinates | undefined {
  const by = shiftKey ? longStep : step
  const moves: Readonly<Record<string, readonly [north: number, east: number]>> = {
    ArrowUp: [by, 0],
    ArrowDown: [-by, 0],
    ArrowLeft: [0, -by],
    ArrowRight: [0, by],
  }
  const move = moves[key]
  if (!move) return undefined
  const [north, east] = move
  return {
    latitude: Math.min(90, Math.max(-90, latitude + north)),
    longitude: Math.min(180, Math.max(-180, longitude + east)),
  }
}

function placeAt({ clientX, clientY, currentTarget }: PointerEvent, frame: MapFrame): Coordinates | undefined {
  const map = (currentTarget as HTMLElement).closest('.map')
  if (!map) return undefined
  const { left, top } = map.getBoundingClientRect()
  return unproject(fromFrame({ x: clientX - left, y: clientY - top }, frame))
}

function rounded({ latitude, longitude }: Coordinates): Coordinates {
  return { latitude: Math.round(latitude * 100) / 100, longitude: Math.round(longitude * 100) / 100 }
}
