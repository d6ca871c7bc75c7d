import { type NodeMockmaker, type NodeMockmakerOptions, setupInNode } from '../setup-node.js'
import { http } from './http.js'

// `mockmaker/node` for an `import` in Node. Bundlers and `require` get the file that imports all of MSW.

/** See `mockmaker/node`. */
export function setupMockmaker(options?: NodeMockmakerOptions): NodeMockmaker {
  return setupInNode(http, options)
}
