import { Token as AnyToken } from '../store/id.js'

/** A token as the scenario names it. */
export const Token = AnyToken.describe('Default: from the seed.')
