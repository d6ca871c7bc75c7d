/** The imports of a page in one script. In the page, this is the global `mockmaker`. */
export { setupMockmaker } from '../../src/msw/browser.js'
export { ApiError } from '../../src/index.js'
