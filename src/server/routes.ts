import { operations } from '../contract/operations.js'
import { createRouteTable } from './route-table.js'

/** The routes of the operations. All mocks have one table of operations, and so share them. */
export const routes = createRouteTable({ places: operations, hint: 'npx mockmaker routes lists what there is' })
