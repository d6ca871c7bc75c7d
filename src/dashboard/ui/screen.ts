import { type Signal, signal, useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'

// What lies over the page, and how much room there is.

/** The name of the open dialog or menu. */
export const openDialog: Signal<string | undefined> = signal(undefined)

/** The name of the menu of scenarios. */
export const scenarioMenu = 'scenarios'

/** The number of open modal dialogs. They show the message, because they cover the rest of the page. */
export const modals = signal(0)

interface Message {
  readonly text: string
  readonly isError: boolean
  /** A button beside the text. */
  readonly action?: { readonly text: string; run(): void }
}

export const message: Signal<Message | undefined> = signal(undefined)

/** The message of a success is shown for this time, in ms. */
const successMs = 6_000

/** Shows a message. The message of a success disappears by itself. */
export function say(next: Message | undefined): void {
  message.value = next
  if (!next || next.isError) return
  setTimeout(() => {
    if (message.value === next) message.value = undefined
  }, successMs)
}

/** Runs an action of the user. Shows a result that is a text, or the sentence of its error. */
export async function runAction(action: () => Promise<unknown>): Promise<boolean> {
  try {
    const result = await action()
    say(typeof result === 'string' ? { text: result, isError: false } : undefined)
    return true
  } catch (error) {
    if (!(error instanceof Error)) throw error
    say({ text: error.message, isError: true })
    return false
  }
}

/** Offers a text to the user as a file. */
export function saveFile(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text]))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}

/** The layouts: three columns, the details over the world, and one part at a time. */
type Layout = 'wide' | 'narrow' | 'phone'

const narrow = matchMedia('(max-width: 1100px)')
const phone = matchMedia('(max-width: 720px)')
const currentLayout = (): Layout => (phone.matches ? 'phone' : narrow.matches ? 'narrow' : 'wide')

export const layout = signal(currentLayout())
for (const query of [narrow, phone]) query.addEventListener('change', () => (layout.value = currentLayout()))

const dark = matchMedia('(prefers-color-scheme: dark)')

/** True if the page has dark colours, as the system wants. */
export const isDark = signal(dark.matches)
dark.addEventListener('change', () => (isDark.value = dark.matches))

/**
 * Loads a value, and loads it again after a change of `inputs`, one call at a time: inputs may change faster than the mock
 * answers. Until the next value comes, and if the mock does not answer, it keeps the last one.
 */
export function useLoaded<Value>(load: () => Promise<Value>, inputs: readonly unknown[]): Value | undefined {
  const loaded: Signal<Value | undefined> = useSignal(undefined)
  const newest = useRef(load)
  newest.current = load
  const state = useRef({ isLoading: false, isStale: false })
  useEffect(() => {
    const { current } = state
    current.isStale = true
    if (current.isLoading) return
    current.isLoading = true
    const read = async () => {
      while (current.isStale) {
        current.isStale = false
        // The stream tells when the mock is gone.
        loaded.value = await newest.current().catch(() => loaded.peek())
      }
      current.isLoading = false
    }
    void read()
  }, inputs)
  return loaded.value
}

/** Follows the size of an element, in px. It is 0 until the element is rendered. */
export function useSize(element: { readonly current: HTMLElement | null }) {
  const size = useSignal({ width: 0, height: 0 })
  useEffect(() => {
    const { current } = element
    if (!current) return
    const observer = new ResizeObserver(() => {
      size.value = { width: current.clientWidth, height: current.clientHeight }
    })
    observer.observe(current)
    return () => observer.disconnect()
  }, [])
  return size
}

/** Opens a modal dialog when it is rendered. Browsers complain about `autofocus` in a page that has a focus. */
export function useModal() {
  const element = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    element.current?.showModal()
    element.current?.querySelector<HTMLElement>('[data-first]')?.focus()
    modals.value += 1
    return () => void (modals.value -= 1)
  }, [])
  const closeOutside = (event: MouseEvent) => {
    // A click on the backdrop has the dialog itself as its target.
    if (event.target === element.current) element.current?.close()
  }
  return { element, closeOutside }
}

const measure = document.createElement('canvas').getContext('2d')

/** Returns the font of small texts, for a canvas. */
export function smallFont(weight: 400 | 600 = 400): string {
  return `${weight} 12px ${getComputedStyle(document.body).fontFamily}`
}

/** Returns the width of a small text, in px. */
export function textWidth(text: string, weight?: 400 | 600): number {
  if (!measure) return text.length * 7
  measure.font = smallFont(weight)
  return measure.measureText(text).width
}
