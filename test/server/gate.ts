/** A promise that is kept from outside. */
export function gate() {
  let resolve: () => void = () => {}
  const promise = new Promise<void>(keep => {
    resolve = keep
  })
  return { promise, resolve }
}
