// @ts-check
import { atMost } from '../aim.js'
import { bundled, runProgram } from '../program.js'
import { withRedis } from './redis.js'

/**
 * A seat through `handle` until Redis has acknowledged it, beside a `SET` of as many bytes by the same client.
 *
 * @returns {Promise<import('../table.js').Table>}
 */
export function measureSharedFind() {
  return withRedis(url =>
    bundled(new URL('find-process.js', import.meta.url), async program => {
      const { bytes, findUs, setUs, ratio } = await runProgram(program, { args: [url] })
      return {
        title: 'find until Redis has acknowledged it, one after the other; medians of 20 batches of 200',
        rows: [
          { 'one after the other': 'find', 'p50 µs': findUs, 'bytes sent': bytes },
          { 'one after the other': 'SET', 'p50 µs': setUs, 'bytes sent': bytes },
        ],
        aims: [atMost('p50 of a find with Redis, to that of SET', { most: 3, value: ratio })],
      }
    }),
  )
}
