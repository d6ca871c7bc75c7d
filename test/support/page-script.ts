/** The imports of a page in one script. In the page, this is the global `mockmaker`. */
export { setupMockmaker } from '../../src/browser.js'
export { ApiError } from '../../src/index.js'
