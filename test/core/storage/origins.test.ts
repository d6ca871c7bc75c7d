import { expect, it } from 'vitest'
import { Origins } from '../../../src/core/storage/origins.js'
import { originOfText } from '../../support/kept-worlds.js'

it('the origins of a world keep one that another names, although it comes later after a loss', () => {
  const older = originOfText('{"seed":1}')
  const newer = originOfText(`{"seed":2,"unseeded":"${older.hash}"}`)
  const origins = new Origins(new Map())
  for (const origin of [older, newer]) origins.add(origin)
  origins.clear()
  // A line names the newer one before anybody knows what else is lost. Then all are put again.
  origins.add(newer)
  origins.addLine(1, `{"origin":"${newer.hash}"}`)
  for (const origin of [older, newer]) origins.add(origin)
  expect(origins.added.filter((_, i) => i % 2 === 0)).toEqual([older.hash])
  origins.addLine(2, '{}')

  expect(origins.keepNamed(newer.hash, 1)).toEqual([newer.hash, older.hash])
})
