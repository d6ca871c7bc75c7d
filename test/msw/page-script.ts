/** The imports of a page in one script. In the page, this is the global `mockmaker`. */

export { ApiError } from '../../src/index.js'
export { setupMockmaker } from '../../src/msw/browser.js'
