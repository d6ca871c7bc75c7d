import { type Signal, signal } from '@preact/signals'
import type {
  ButtonHTMLAttributes,
  ComponentChildren,
  FormHTMLAttributes,
  InputHTMLAttributes,
  TargetedEvent,
  TextareaHTMLAttributes,
} from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { grouped } from '../../core/lib/messages.js'
import { seatCount } from './format.js'
import { Icon, type IconName } from './icons.js'
import { message, openDialog, runAction, useModal } from './screen.js'

// The controls that several parts of the page use.

/** A button that submits no form. */
export function Button(props: ButtonHTMLAttributes) {
  return <button type="button" {...props} />
}

/** A button that shows only an icon. Its name is `aria-label`. */
export function IconButton({ icon, ...rest }: ButtonHTMLAttributes & { readonly icon: IconName }) {
  return (
    <Button class="quiet square" {...rest}>
      <Icon name={icon} />
    </Button>
  )
}

interface ModalProps {
  readonly title: ComponentChildren
  readonly class?: string
  readonly children: ComponentChildren
  onClose(): void
}

/** A modal dialog that opens when it is rendered, and focuses its element with `data-first`. Escape closes it. */
export function Modal({ title, children, onClose, ...rest }: ModalProps) {
  const { element, closeOutside } = useModal()
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes the dialog
    <dialog ref={element} class={rest.class} aria-labelledby="dialog-title" onClose={onClose} onClick={closeOutside}>
      <div class="dialog">
        <header>
          <h2 id="dialog-title" dir="auto">
            {title}
          </h2>
          <IconButton icon="close" aria-label="Close" onClick={() => element.current?.close()} />
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
  if (!message.value) return null
  return (
    <p class={message.value.isError ? 'notice bad' : 'notice'}>
      <span dir="auto">{message.value.text}</span>
      {message.value.action && (
        <Button
          onClick={() => {
            message.value?.action?.run()
            message.value = undefined
          }}
        >
          {message.value.action.text}
        </Button>
      )}
      <IconButton icon="close" aria-label="Dismiss" onClick={() => (message.value = undefined)} />
    </p>
  )
}

interface MenuProps {
  readonly id: string
  readonly label: ComponentChildren
  /** The name for screen readers. */
  readonly name: string
  /** The class of the menu with its button. */
  readonly class?: string
  readonly buttonClass?: string
  /** Its contents are created when it opens. */
  readonly children: (close: () => void) => ComponentChildren
}

/** A button that opens a small box below it. Escape, and a click elsewhere, close the box. */
export function Menu({ id, label, name, children, ...rest }: MenuProps) {
  const menu = useRef<HTMLDivElement>(null)
  const isOpen = openDialog.value === id
  const close = () => {
    if (openDialog.value !== id) return
    openDialog.value = undefined
    menu.current?.querySelector('button')?.focus()
  }
  // Not after the next frame: by then the user may be elsewhere.
  useLayoutEffect(() => {
    if (!isOpen) return
    const closeOutside = (event: Event) => {
      if (!menu.current?.contains(event.target as Node) && openDialog.value === id) openDialog.value = undefined
    }
    document.addEventListener('pointerdown', closeOutside)
    menu.current?.querySelector<HTMLElement>('.box :is(button, input, select, a)')?.focus()
    return () => document.removeEventListener('pointerdown', closeOutside)
  }, [isOpen, id])
  const toggle = () => {
    openDialog.value = isOpen ? undefined : id
  }
  const closeOnEscape = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !isOpen) return
    // It closes nothing else.
    event.preventDefault()
    close()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes the menu from inside
    <div class={`menu ${rest.class ?? ''}`} ref={menu} onKeyDown={closeOnEscape}>
      <Button
        class={rest.buttonClass ?? 'quiet'}
        aria-label={name}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={toggle}
      >
        {label} <Icon name="down" class="chevron" />
      </Button>
      {isOpen && (
        <div class="box" id={id}>
          {children(close)}
        </div>
      )}
    </div>
  )
}

/** Code to read and to copy. It scrolls, because a wrapped line of code cannot be read. */
export function CodeBlock({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <div class="code">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it */}
      <section aria-label={label} tabIndex={0}>
        <pre>{text}</pre>
      </section>
      <CopyButton text={() => text} label="Copy" kind="quiet" />
    </div>
  )
}

/** The button says for this time that the text is copied, in ms. */
const copiedMs = 1_500

/** The id of the action that has just copied. */
const copied: Signal<string | undefined> = signal(undefined)

/** Tells whether an action has just copied. */
export const isCopied = (id: string) => copied.value === id

/** Something that the user can do with what is open. */
export interface DetailsAction {
  readonly id: string
  readonly label: string
  readonly kind?: 'main' | 'danger' | 'quiet'
  readonly isOff?: boolean
  /** The menu of the details that has it. Default: it has a button of its own. */
  readonly menu?: 'Copy' | 'More'
  /** It copies a text. */
  readonly copies?: true
  run(): unknown
}

interface ActionButtonProps extends DetailsAction {
  /** Shown instead of the label. */
  readonly children?: ComponentChildren
}

/** Copies a text. Plain HTTP has no Clipboard API, a frame and a file may not have it. There, the command of the browser may copy. */
async function writeToClipboard(text: string): Promise<void> {
  try {
    return await navigator.clipboard.writeText(text)
  } catch {
    const give = (event: ClipboardEvent) => {
      event.clipboardData?.setData('text/plain', text)
      event.preventDefault()
    }
    addEventListener('copy', give)
    const isCopied = document.execCommand('copy')
    removeEventListener('copy', give)
    if (!isCopied) throw new Error('The browser does not let this page copy. Select the text instead.')
  }
}

/** An action that copies a text to the clipboard. Its button says so. */
export function copyAction(id: string, label: string, text: () => string | Promise<string>): DetailsAction {
  const copy = async () => {
    await writeToClipboard(await text())
    copied.value = id
    setTimeout(() => copied.peek() === id && (copied.value = undefined), copiedMs)
  }
  return { id, label, copies: true, run: () => runAction(copy) }
}

export function ActionButton({ id, label, kind, isOff, copies, run, children = label }: ActionButtonProps) {
  const isDone = isCopied(id)
  return (
    <Button class={kind} disabled={isOff} onClick={() => run()}>
      {copies ? (
        // Both texts have their place, so that the button keeps its width.
        <span class="either">
          <span aria-hidden={isDone}>{children}</span>
          <span aria-live="polite">{isDone && 'Copied ✓'}</span>
        </span>
      ) : (
        children
      )}
    </Button>
  )
}

interface CopyButtonProps extends Pick<ActionButtonProps, 'label' | 'kind' | 'children'> {
  text(): string | Promise<string>
}

/** Copies a text to the clipboard, and says so. */
export function CopyButton({ label, text, ...rest }: CopyButtonProps) {
  return <ActionButton {...copyAction(useId(), label, text)} {...rest} />
}

interface SelectProps<Value extends string> {
  /** The name for screen readers. Absent: the control is in its label. */
  readonly label?: string
  readonly class?: string
  readonly value: Value | undefined
  /** The values, and their texts. */
  readonly options: readonly (readonly [value: Value, text: string])[]
  onChange(value: Value): void
}

/** A choice of one of several values. */
export function Select<Value extends string>({ label, value, options, onChange, ...rest }: SelectProps<Value>) {
  return (
    <select
      class={rest.class}
      aria-label={label}
      value={value}
      // The value is one of the options.
      onChange={event => onChange(event.currentTarget.value as Value)}
    >
      {options.map(([one, text]) => (
        <option key={one} value={one}>
          {text}
        </option>
      ))}
    </select>
  )
}

interface ChoiceProps<Value extends string> extends Pick<SelectProps<Value>, 'options'> {
  readonly label: string
  readonly chosen: Signal<Value | undefined>
}

/** A choice with its label. */
export function Choice<Value extends string>({ label, chosen, options }: ChoiceProps<Value>) {
  return (
    <label>
      {label}
      <Select value={chosen.value} options={options} onChange={value => (chosen.value = value)} />
    </label>
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

/** Sentences that explain something, the most important one first. */
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

/** A form that the page reads. The browser sends it nowhere. */
export function Form({ onSubmit, ...rest }: Omit<FormHTMLAttributes, 'onSubmit'> & { onSubmit?(): unknown }) {
  const submit = (event: Event) => {
    event.preventDefault()
    onSubmit?.()
  }
  return <form {...rest} onSubmit={submit} />
}

interface FieldProps {
  readonly label: string
  /** The text that the user wrote. `undefined`: none yet. */
  readonly text: Signal<string | undefined>
  /** The text until then. */
  readonly initial?: string
}

/** An input with its label. The other attributes are those of the input. */
export function Field({ label, text, initial, ...rest }: InputHTMLAttributes & FieldProps) {
  return (
    <label>
      {label}
      <input {...rest} value={text.value ?? initial} onInput={event => (text.value = event.currentTarget.value)} />
    </label>
  )
}

/** A field of several lines with its label. */
export function TextArea({ label, text, initial, ...rest }: TextareaHTMLAttributes & FieldProps) {
  const write = ({ currentTarget }: TargetedEvent<HTMLTextAreaElement>) => (text.value = currentTarget.value)
  return (
    <label>
      {label}
      <textarea spellcheck={false} {...rest} value={text.value ?? initial} onInput={write} />
    </label>
  )
}

/** The sign of a button that removes a filter. */
export function Removal({ children }: { readonly children: string }) {
  return (
    <>
      <Icon name="close" />
      <span class="hidden">{children}</span>
    </>
  )
}

interface SeatBarProps {
  readonly taken: number
  readonly onTheWay?: number
  /** The number of `taken` seats that are green at the end of the bar. */
  readonly own?: number
  readonly max: number
  /** The colour of the seats taken. Default: neutral. */
  readonly state?: 'plays'
}

/** Seats as a bar, and in numbers. */
export function SeatBar({ taken, onTheWay = 0, own = 0, max, state }: SeatBarProps) {
  const share = (count: number) => `${Math.min(1, count / Math.max(1, max)) * 100}%`
  return (
    <span class="seats">
      <span class="seat-bar" aria-hidden="true">
        <i data-state={state} style={{ width: share(taken - own) }} />
        <i data-state="way" style={{ width: share(onTheWay) }} />
        <i data-state="plays" style={{ width: share(own) }} />
      </span>
      <span>
        {seatCount(taken, onTheWay)} / {grouped(max)}
        {onTheWay > 0 && <span class="hidden">, {grouped(onTheWay)} on the way</span>}
      </span>
    </span>
  )
}
