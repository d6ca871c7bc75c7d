import { type Signal, signal } from '@preact/signals'

// What lies over the page, and how much room there is.

/** The name of the open dialog or menu. */
export const openDialog: Signal<string | undefined> = signal(undefined)

/** The name of the menu of scenarios. */
export const scenarioMenu = 'scenarios'

/** The number of open modal dialogs. They show the message, because they cover the rest of the page. */
export const modals = signal(0)

/** A message to the user. */
interface Message {
  readonly text: string
  readonly isError: boolean
  /** A button beside the text. */
  readonly action?: { readonly text: string; run(): void }
}

export const message: Signal<Message | undefined> = signal(undefined)

/** The message of a success is shown for this time, in ms. */
const successMs = 6_000

/** Shows a message. One of a success disappears by itself. */
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

/** Whether the page has dark colours, as the system wants. */
export const isDark = signal(dark.matches)
dark.addEventListener('change', () => (isDark.value = dark.matches))
