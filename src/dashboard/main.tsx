import { render } from 'preact'
import { Api } from './api.js'
import { App } from './app.js'
import { LiveWorld } from './live-world.js'
import { PageProvider, PageState } from './page-state.js'

/** The clock on the page is updated at this interval, in ms. */
const tickMs = 250

/** The page of a world is at its URL: `/`, `/w/{id}/`, or below the path where an app has mounted the mock. */
const url = location.origin + location.pathname.replace(/\/$/, '')
const api = new Api(url)
const page = new PageState(api, new LiveWorld(api))

setInterval(() => page.tick(), tickMs)

const root = document.getElementById('page')
if (root) {
  render(
    <PageProvider value={page}>
      <App />
    </PageProvider>,
    root,
  )
}
