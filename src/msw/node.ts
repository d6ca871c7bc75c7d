import * as msw from 'msw'
import { type NodeMockmaker, type NodeMockmakerOptions, setupInNode } from './setup-node.js'

/** Creates a Mockmaker that answers in this process, under MSW. Throws `UsageError` if the scenario or an option is wrong. */
export function setupMockmaker(options?: NodeMockmakerOptions): NodeMockmaker {
  return setupInNode(msw.http, options)
}

export type { Mockmaker, MockmakerWorld } from '../core/mock/facade.js'
export type { IsolatedOptions } from './isolation.js'
export type { MswMethods } from './life-cycle.js'
export type { NodeMockmaker, NodeMockmakerOptions } from './setup-node.js'
export type { ListenOptions } from './unhandled-requests.js'
