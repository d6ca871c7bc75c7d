/**
 * Resolves when a service worker controls this page. MSW reloads a page that its worker does not control, such as after a
 * reload without cache, and goes on at once. A request that the page sends until it is gone would reach the network.
 */
export async function pageIsControlled(): Promise<void> {
  const { serviceWorker } = navigator
  // A page outside of the worker's scope has no registration. MSW warns of it.
  if (serviceWorker.controller || !(await serviceWorker.getRegistration())) return
  await new Promise<void>(resolve => {
    serviceWorker.addEventListener('controllerchange', () => resolve(), { once: true })
    if (serviceWorker.controller) resolve()
  })
}
