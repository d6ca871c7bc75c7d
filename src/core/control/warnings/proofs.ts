/** The most requests that prove a mistake. */
const mostProofs = 20

/** Adds the id of a request that proves a mistake. Beyond the limit, keeps the first half and the newest half. */
export function addProof(ids: number[], id: number): void {
  if (ids.length < mostProofs) {
    ids.push(id)
    return
  }
  // Without `splice`, which creates an array for each request of a hot loop.
  for (let i = mostProofs / 2; i < mostProofs - 1; i++) ids[i] = ids[i + 1] ?? id
  ids[mostProofs - 1] = id
}
