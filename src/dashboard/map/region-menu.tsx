import { type Signal, signal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'
import { counted, grouped } from '../../core/lib/messages.js'
import { findSeat } from '../requests/find-seat.js'
import { Button, type DetailsAction } from '../ui/controls.js'
import { openDialog, runAction, useModal } from '../ui/screen.js'
import { aboutText, kilometersTo, regionName } from '../world/lobby-rows.js'
import { page } from '../world/page-state.js'

// What the user can do with a region. The menu of the region and the palette read this table.

interface RegionAction extends Pick<DetailsAction, 'id' | 'label' | 'kind' | 'run'> {
  /** Its text where the region is not named beside it. Absent: only the menu has it. */
  readonly text?: string
  /** At its right: a key, or a number. */
  readonly fact?: string
}

/** The region whose menu is open, and whether it asks for how long the region goes down. */
const menu: Signal<{ readonly id: string; readonly isTakingDown?: boolean }> = signal({ id: '' })

/** Opens the menu of a region. */
export function openRegionMenu(id: string, isTakingDown = false): void {
  menu.value = { id, isTakingDown }
  openDialog.value = 'region'
}

/** Ends the outage of a region. */
export function bringBack(id: string): void {
  const params = { fault_id: page.outages.peek().get(id)?.id ?? '' }
  void runAction(() => page.api.call('DELETE /faults/{fault_id}', { params }))
}

/** Lists what can be done with a region now. */
export function regionActions(id: string): readonly RegionAction[] {
  const { tables } = page.shown.value
  const name = regionName(id, tables)
  const region = tables.regions.get(id)
  const { lobbies = 0 } = page.regionSums.value.find(sum => sum.region === region) ?? {}
  const show: RegionAction = {
    ...{ id: 'lobbies', label: 'Show its lobbies', fact: grouped(lobbies), run: () => page.filter({ region: id }) },
  }
  if (page.isReadOnly.value || !region) return [show]
  const makeLobby = () => {
    page.filter({ region: id })
    openDialog.value = 'new-lobby'
  }
  const body = { location: region.datacenter_coord }
  const isDown = page.outages.value.has(id)
  const mode = page.mode.value
  const find = () => void findSeat(mode, id)
  return [
    ...(isDown || mode === undefined
      ? []
      : [{ id: 'find', label: 'Find a seat here', text: `Find a seat in ${name}`, run: find }]),
    show,
    ...(isDown ? [] : [{ id: 'new-lobby', label: 'Make a lobby here', fact: 'N', run: makeLobby }]),
    {
      ...{ id: 'place', label: 'Put me here', text: `Put me in ${name}` },
      run: () => void runAction(() => page.api.call('PUT /client', { body })),
    },
    isDown
      ? { id: 'up', label: `Bring ${name} back`, text: `Bring ${name} back`, run: () => bringBack(id) }
      : {
          ...{ id: 'down', label: `Take down ${name}…`, text: `Take down ${name}…`, kind: 'danger', fact: '›' },
          run: () => openRegionMenu(id, true),
        },
  ]
}

/** For how long a region goes down. The second one is what Enter takes. */
const outages: readonly (readonly [text: string, lasting: string | undefined])[] = [
  ['for 10 s', '10s'],
  ['for 30 s', '30s'],
  ['for 5 min', '5m'],
  ['until I bring it back', undefined],
]

/** The size of both sheets, and the space above them, in px. */
const size = { width: 496, height: 248, gap: 8 }

/** Returns the left and the top of a menu below the region, and below the regions that are down there. */
function placeBelow(id: string): readonly [left: number, top: number] {
  const boxes = (selector: string) => [...document.querySelectorAll(selector)].map(one => one.getBoundingClientRect())
  const own = boxes(`[data-region="${CSS.escape(id)}"] .disc`)
  const left = Math.max(0, Math.min(own[0]?.left ?? 0, innerWidth - size.width))
  const down = boxes('[data-kind=down] .disc').filter(box => box.right > left && box.left < left + size.width)
  const bottom = Math.max(0, ...[...own, ...down].map(box => box.bottom))
  return [left, Math.min(bottom + size.gap, innerHeight - size.height)]
}

/** Moves in a sheet, to the second sheet, and back. */
function moveByKey(event: KeyboardEvent): void {
  const { id, isTakingDown } = menu.peek()
  const { activeElement } = document
  const buttons = [...(activeElement?.parentElement?.querySelectorAll('button') ?? [])]
  const at = buttons.indexOf(activeElement as HTMLButtonElement)
  if (event.key === 'ArrowDown') buttons[(at + 1) % buttons.length]?.focus()
  else if (event.key === 'ArrowUp') buttons.at(at - 1)?.focus()
  else if (event.key === 'ArrowRight' && activeElement?.id === 'region-down') openRegionMenu(id, true)
  else if (event.key === 'ArrowLeft' && isTakingDown) openRegionMenu(id)
  else return
  event.preventDefault()
}

/** The menu of a region. Its second sheet says what an outage costs, and asks how long it lasts. */
export function RegionMenu() {
  const { element, closeOutside } = useModal()
  const { id, isTakingDown } = menu.value
  const { tables } = page.shown.value
  const sums = page.regionSums.value.find(({ region }) => region.region_id === id)
  const { players = 0, lobbies = 0, taken = 0 } = sums ?? {}
  const [name, kilometers] = [regionName(id, tables), kilometersTo(id, tables)]
  useLayoutEffect(() => {
    const { current } = element
    if (!current) return
    const [left, top] = placeBelow(id)
    current.style.margin = `${top}px 0 0 ${left}px`
    current.querySelector<HTMLElement>('[data-first]')?.focus()
    page.pointed.value = id
    return () => void (page.pointed.value = undefined)
  }, [isTakingDown])
  const perform = (action: () => unknown) => {
    element.current?.close()
    action()
  }
  const takeDown = (lasting: string | undefined) =>
    runAction(() =>
      page.api.call('POST /faults', {
        body: { region: id, effect: { outage: true }, ...(lasting && { for: lasting }) },
      }),
    )
  return (
    <dialog
      ref={element}
      class="region-menu"
      aria-label={name}
      onClose={() => openDialog.peek() === 'region' && (openDialog.value = undefined)}
      onClick={closeOutside}
      onKeyDown={moveByKey}
    >
      <div>
        <p class="option">
          <b dir="auto">{name}</b>{' '}
          <small class="muted">
            {counted(players, 'player', 'players')}
            {kilometers !== undefined && `, ${aboutText(kilometers)}`}
          </small>
        </p>
        {regionActions(id).map(({ id: action, label, kind, fact, run }, i) => (
          <Button
            key={action}
            id={`region-${action}`}
            class={`option ${kind ?? 'quiet'}`}
            data-first={(i === 0 && !isTakingDown) || undefined}
            aria-expanded={action === 'down' ? isTakingDown : undefined}
            onClick={() => (action === 'down' ? run() : perform(run))}
          >
            <span class="cut">{label}</span> <span class="muted">{fact}</span>
          </Button>
        ))}
      </div>
      {isTakingDown && (
        <div>
          <p class="option muted">
            {counted(lobbies, 'lobby stops', 'lobbies stop')}, {counted(taken, 'player loses', 'players lose')} seats
          </p>
          {outages.map(([text, lasting], i) => (
            <Button
              key={text}
              class="quiet option"
              data-first={i === 1 || undefined}
              onClick={() => perform(() => takeDown(lasting))}
            >
              {text} {i === 1 && <kbd>Enter</kbd>}
            </Button>
          ))}
        </div>
      )}
    </dialog>
  )
}
