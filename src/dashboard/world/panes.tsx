import { type Signal, signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { ActionButton, Button, type DetailsAction, IconButton, isCopied, Menu } from '../ui/controls.js'
import { Icon } from '../ui/icons.js'
import { layout } from '../ui/screen.js'
import { page } from './page-state.js'
import { OpenedWarning } from './warned.js'

// The parts that the panes of several views have.

/** The actions of the open details. The buttons, the palette and the keys have them. */
export const openActions: Signal<readonly DetailsAction[]> = signal([])

/** The field that filters the list of the view. The key / focuses it. */
export function SearchField({ label }: { readonly label: string }) {
  const { q = '' } = page.address.value
  return (
    <div class="field filter">
      <Icon name="search" />
      <input
        type="search"
        aria-label={label}
        placeholder="Search"
        value={q}
        onInput={event => page.filter({ q: event.currentTarget.value || undefined })}
        onKeyDown={event => {
          if (event.key !== 'Escape' || q === '') return
          event.preventDefault()
          page.filter({ q: undefined })
        }}
      />
      <span class="kbd" aria-hidden="true">
        /
      </span>
    </div>
  )
}

interface DetailsPaneProps {
  readonly label: string
  /** Beside the name: a status, a time. */
  readonly facts?: ComponentChildren
  readonly title: ComponentChildren
  readonly children: ComponentChildren
  /** The primary one first. */
  readonly actions?: readonly DetailsAction[]
}

/** The details of what the address opens. */
export function DetailsPane({ label, title, facts, children, actions = [] }: DetailsPaneProps) {
  useEffect(() => void (openActions.value = actions))
  useEffect(() => () => void (openActions.value = []), [])
  return (
    <section class="details" aria-label={label}>
      <header class="bar">
        <h2 class="cut" dir="auto">
          {title}
        </h2>
        {facts}
        <div class="tools">
          <IconButton
            icon={layout.value === 'phone' ? 'back' : 'close'}
            aria-label="Close"
            onClick={() => page.go({ opened: undefined })}
          />
        </div>
      </header>
      <div class="body">
        <OpenedWarning />
        {children}
      </div>
      {actions.length > 0 && (
        <div class="foot">
          {actions.map((action, i) => {
            const { id, menu } = action
            if (menu === undefined) return <ActionButton key={id} {...action} />
            if (menu === actions[i - 1]?.menu) return null
            const inMenu = actions.filter(one => one.menu === menu)
            const name = inMenu.some(one => isCopied(one.id)) ? 'Copied ✓' : menu
            return (
              <Menu
                key={menu}
                id={`details ${menu}`}
                name={name}
                label={menu === 'More' ? <Icon name="more" /> : name}
                class={menu === 'More' ? 'end' : ''}
                buttonClass={menu === 'More' ? 'quiet square' : ''}
              >
                {close =>
                  inMenu.map(one => (
                    <Button
                      key={one.id}
                      disabled={one.isOff}
                      onClick={() => {
                        close()
                        one.run()
                      }}
                    >
                      {one.label}
                    </Button>
                  ))
                }
              </Menu>
            )
          })}
        </div>
      )}
    </section>
  )
}
