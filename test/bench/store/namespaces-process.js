// @ts-check
// Creates so many namespaces in one transaction, and prints how long that took: `node namespaces-process.js <namespaces>`.
import { createMockmaker } from '../../../dist/index.js'
import { cpuMs } from '../cpu.js'

const [, , namespaces = ''] = process.argv

create(100)
process.stdout.write(JSON.stringify({ ms: create(Number(namespaces)) }))

/** Returns the processor time that it took. @param {number} count */
function create(count) {
  const { world } = createMockmaker()
  const startedAt = cpuMs()
  world.transaction(tx => {
    for (let i = 0; i < count; i++) tx.namespaces.create({ name_id: `bench-${i}` })
  })
  return cpuMs() - startedAt
}
