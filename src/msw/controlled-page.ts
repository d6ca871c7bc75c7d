import type { SetupWorker } from 'msw/browser'
import { sayIfSlow } from '../core/lib/slow-wait.js'

type StartOptions = Parameters<SetupWorker['start']>[0]

/** Starts a worker. Resolves when it controls this page. */
export async function startWorker(worker: Pick<SetupWorker, 'start'>, options: StartOptions): Promise<void> {
  await untilControlled(worker.start(options).then(pageIsControlled))
}

/** Waits until a service worker controls this page. If that takes long, the console says so. */
export function untilControlled(controlled = pageIsControlled()): Promise<void> {
  return sayIfSlow(
    controlled,
    () =>
      'still waiting for the service worker of MSW to control this page. Close the other tabs of this site, and reload this one',
  )
}

/**
 * Resolves when a service worker controls this page. MSW reloads a page that its worker does not control, such as after a
 * reload without cache, and goes on at once. A request that the page sends until it is gone would reach the network.
 */
async function pageIsControlled(): Promise<void> {
  const { serviceWorker } = navigator
  // Without workers, as on a foreign host without HTTPS, MSW replaces `fetch`. A page outside of the worker's scope has no
  // registration. MSW warns of it.
  if (!serviceWorker || serviceWorker.controller || !(await serviceWorker.getRegistration())) return
  await new Promise<void>(resolve => {
    serviceWorker.addEventListener('controllerchange', () => resolve(), { once: true })
    if (serviceWorker.controller) resolve()
  })
}
