import { runInThisContext } from 'node:vm'

// The globals of fetch that jsdom lacks, or has without parts that MSW needs. They are those of the Node that runs Jest.
const names = [
  ...['fetch', 'Request', 'Response', 'Headers', 'FormData', 'AbortController', 'AbortSignal'],
  ...['ReadableStream', 'WritableStream', 'TransformStream', 'TextEncoder', 'TextDecoder', 'TextDecoderStream'],
  ...['Blob', 'File', 'URL', 'URLSearchParams', 'BroadcastChannel', 'structuredClone'],
]

if ('document' in globalThis)
  for (const name of names)
    Object.defineProperty(globalThis, name, {
      value: runInThisContext(`globalThis.${name}`),
      configurable: true,
      writable: true,
    })
