import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

/**
 * Loads a value, and loads it again after a change of `inputs`. Until then, and if the mock does not answer, it keeps the last
 * value. `load` may return `undefined` to load nothing.
 */
export function useLoaded<Value>(
  load: () => Promise<Value> | undefined,
  inputs: readonly unknown[],
): Value | undefined {
  const loaded: Signal<Value | undefined> = useSignal(undefined)
  useEffect(() => {
    let isNewest = true
    load()
      ?.then(value => {
        // An older answer may come after a newer one.
        if (isNewest) loaded.value = value
      })
      // The stream tells when the mock is gone.
      .catch(() => {})
    return () => {
      isNewest = false
    }
  }, inputs)
  return loaded.value
}

/** Follows the width of an element, in px. It is 0 until the element is rendered. */
export function useWidth(element: { readonly current: HTMLElement | null }): Signal<number> {
  const width = useSignal(0)
  useEffect(() => {
    const { current } = element
    if (!current) return
    const observer = new ResizeObserver(() => (width.value = current.clientWidth))
    observer.observe(current)
    return () => observer.disconnect()
  }, [])
  return width
}

/** Follows the size of an element, in px. It is 0 until the element is rendered. */
export function useSize(element: { readonly current: HTMLElement | null }): Signal<{
  readonly width: number
  readonly height: number
}> {
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
