const paths = {
  back: 'M8.5 3.5L5 7l3.5 3.5',
  clock: 'M7 2.2a4.8 4.8 0 1 0 0 9.6a4.8 4.8 0 1 0 0-9.6M7 4.4V7l1.8 1.2',
  clear: 'M3 4h8M5.5 4V2.5h3V4M4 4l.6 7.5h4.8L10 4',
  close: 'M3.8 3.8l6.4 6.4M10.2 3.8l-6.4 6.4',
  copy: 'M5.5 5.5h5.5v5.5H5.5zM3 8.5V3h5.5',
  down: 'M4 5.5l3 3 3-3',
  file: 'M3.5 1.8H8l2.8 2.8v7.6H3.5zM8 1.8v2.8h2.8',
  fork: 'M4 3.2v1.3c0 2 3 1.5 3 3.5v2.8M10 3.2v1.3c0 2-3 1.5-3 3.5M3 2.2h2M9 2.2h2M6 11.8h2',
  forward: 'M5.5 3.5L9 7l-3.5 3.5',
  globe: 'M7 2.2a4.8 4.8 0 1 0 0 9.6a4.8 4.8 0 1 0 0-9.6M2.2 7h9.6M7 2.2c-3 3-3 6.6 0 9.6c3-3 3-6.6 0-9.6',
  help: 'M7 2a5 5 0 1 0 0 10a5 5 0 1 0 0-10M5.6 5.6c.2-1.8 2.9-1.6 2.8.1-.1 1-1.4 1.1-1.4 2.1M7 9.9h.01',
  lines: 'M2.5 4h9M2.5 7h9M2.5 10h6',
  more: 'M3.5 7h.01M7 7h.01M10.5 7h.01',
  pause: 'M5 3.5v7M9 3.5v7',
  person: 'M7 2.5a2.2 2.2 0 1 0 0 4.4a2.2 2.2 0 1 0 0-4.4M3 11.5c.3-4.2 7.7-4.2 8 0',
  play: 'M5 3.5l5 3.5-5 3.5z',
  plus: 'M7 3v8M3 7h8',
  save: 'M7 2.5v6M4.3 6L7 8.7 9.7 6M2.8 11.5h8.4',
  search: 'M6 2.2a3.8 3.8 0 1 0 0 7.6a3.8 3.8 0 1 0 0-7.6M9 9l3 3',
  server: 'M2.5 3h9v3.2h-9zM2.5 7.8h9V11h-9zM4.5 4.6h.01M4.5 9.4h.01',
  up: 'M4 8.5l3-3 3 3',
} as const

export type IconName = keyof typeof paths

/** An icon beside a text, or in a button with a name of its own. */
export function Icon({ name, class: more = '' }: { readonly name: IconName; readonly class?: string }) {
  return (
    <svg class={`icon ${more}`} viewBox="0 0 14 14" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  )
}
