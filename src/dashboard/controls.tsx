import type { Signal } from '@preact/signals'
import type { ComponentChildren, InputHTMLAttributes } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { page } from './page-state.js'

// The controls that several parts of the page use.

interface ModalProps {
  readonly title: ComponentChildren
  readonly class?: string
  readonly children: ComponentChildren
  onClose(): void
}

/** A modal dialog that opens when it is rendered. Escape closes it. */
export function Modal({ title, children, onClose, ...rest }: ModalProps) {
  const { modals } = page
  const element = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    element.current?.showModal()
    modals.value += 1
    return () => void (modals.value -= 1)
  }, [])
  const closeOutside = (event: MouseEvent) => {
    // A click on the backdrop has the dialog itself as its target.
    if (event.target === element.current) element.current?.close()
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes the dialog
    <dialog ref={element} class={rest.class} aria-labelledby="dialog-title" onClose={onClose} onClick={closeOutside}>
      <div class="dialog">
        <header>
          <h2 id="dialog-title" dir="auto">
            {title}
          </h2>
          <button type="button" class="plain" aria-label="Close" onClick={() => element.current?.close()}>
            ✕
          </button>
        </header>
        <div role="status">
          <MessageNotice />
        </div>
        {children}
      </div>
    </dialog>
  )
}

/** The result of the last action of the user. */
export function MessageNotice() {
  const { message } = page
  if (!message.value) return null
  return (
    <p class={message.value.isError ? 'notice bad' : 'notice'}>
      <span dir="auto">{message.value.text}</span>
      <DismissButton onClick={() => (message.value = undefined)} />
    </p>
  )
}

export function DismissButton({ onClick }: { readonly onClick: () => void }) {
  return (
    <button type="button" onClick={onClick}>
      Dismiss
    </button>
  )
}

interface MenuProps {
  readonly id: string
  readonly label: ComponentChildren
  /** The name for screen readers. */
  readonly name: string
  readonly class?: string
  /** Its contents are created when it opens. */
  readonly children: (close: () => void) => ComponentChildren
  onOpen?(): void
}

/** A button that opens a small box below it. Escape, and a click elsewhere, close the box. */
export function Menu({ id, label, name, children, onOpen, ...rest }: MenuProps) {
  const menu = useRef<HTMLDivElement>(null)
  const isOpen = page.dialog.value === id
  const close = () => {
    if (page.dialog.value !== id) return
    page.dialog.value = undefined
    menu.current?.querySelector('button')?.focus()
  }
  useEffect(() => {
    if (!isOpen) return
    onOpen?.()
    const closeOutside = (event: Event) => {
      const isInside = menu.current?.contains(event.target as Node)
      if (!isInside && page.dialog.value === id) page.dialog.value = undefined
    }
    document.addEventListener('pointerdown', closeOutside)
    menu.current?.querySelector<HTMLElement>('.box :is(button, input, select, a)')?.focus()
    return () => document.removeEventListener('pointerdown', closeOutside)
  }, [isOpen, id])
  const toggle = () => {
    page.dialog.value = isOpen ? undefined : id
  }
  const closeOnEscape = (event: KeyboardEvent) => {
    if (event.key === 'Escape') close()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes the menu from inside
    <div class="menu" ref={menu} onKeyDown={closeOnEscape}>
      <button
        type="button"
        class={rest.class}
        aria-label={name}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={toggle}
      >
        {label} <span aria-hidden="true">▾</span>
      </button>
      {isOpen && (
        <div class="box" id={id}>
          {children(close)}
        </div>
      )}
    </div>
  )
}

/** Code to read and to copy. */
export function CodeBlock({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <div class="code">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it */}
      <section aria-label={label} tabIndex={0}>
        <pre>{text}</pre>
      </section>
      <CopyButton text={() => text} label="Copy" />
    </div>
  )
}

/** Copies a text to the clipboard. */
export function CopyButton({ label, text }: { readonly label: string; text(): string | Promise<string> }) {
  const copy = () =>
    page.run(async () => {
      if (!isSecureContext) throw new Error('The browser lets only pages of localhost copy. Select the text instead.')
      await navigator.clipboard.writeText(await text())
      return 'Copied.'
    })
  return (
    <button type="button" onClick={copy}>
      {label}
    </button>
  )
}

interface SelectProps<Value extends string> {
  /** The name for screen readers. Absent: the control is in its label. */
  readonly label?: string
  readonly value: Value | undefined
  /** The values, and their texts. */
  readonly options: readonly (readonly [value: Value, text: string])[]
  onChange(value: Value): void
}

/** A choice of one of several values. */
export function Select<Value extends string>({ label, value, options, onChange }: SelectProps<Value>) {
  return (
    // The value is one of the options.
    <select aria-label={label} value={value} onChange={event => onChange(event.currentTarget.value as Value)}>
      {options.map(([one, text]) => (
        <option key={one} value={one}>
          {text}
        </option>
      ))}
    </select>
  )
}

interface PartsProps<Name extends string> {
  readonly label: string
  /** The names, and their texts. */
  readonly parts: readonly (readonly [name: Name, text: string])[]
  readonly chosen: Signal<Name>
}

/** Buttons of which one is pressed. */
export function Parts<Name extends string>({ label, parts, chosen }: PartsProps<Name>) {
  return (
    <fieldset class="parts" aria-label={label}>
      {parts.map(([name, text]) => (
        <button key={name} type="button" aria-pressed={chosen.value === name} onClick={() => (chosen.value = name)}>
          {text}
        </button>
      ))}
    </fieldset>
  )
}

/** Sentences that explain something. */
export function Reasons({ texts }: { readonly texts: readonly string[] }) {
  return (
    <ul class="reasons">
      {texts.map(text => (
        <li key={text} dir="auto">
          {text}
        </li>
      ))}
    </ul>
  )
}

/** An input with its label. The other attributes are those of the input. */
export function Field({ label, text, ...rest }: InputHTMLAttributes & { label: string; text: Signal<string> }) {
  return (
    <label>
      {label}
      <input {...rest} value={text.value} onInput={event => (text.value = event.currentTarget.value)} />
    </label>
  )
}

/** The sign of a button that removes a filter. */
export function Removal({ children }: { readonly children: string }) {
  return (
    <>
      <span aria-hidden="true">✕</span>
      <span class="hidden">{children}</span>
    </>
  )
}
