/** What a page imports, in one script; in the page it is the global `mockmaker`. */
export { setupMockmaker } from '../../src/browser.js'
export { ApiError } from '../../src/index.js'
