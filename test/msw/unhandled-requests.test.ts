import { fc, it } from '@fast-check/vitest'
import { isCommonAssetRequest } from 'msw'
import { describe, expect } from 'vitest'
import { isAssetRequest } from '../../src/msw/unhandled-requests.js'

const extensions =
  'css scss jsx mjs ts tsx mtsx html ttf otf woff woff2 gif jpg jpeg mp3 mp4 mp5 wav tar gz 7z json yaml'
const segment = fc.oneof(
  fc.webSegment({ size: 'small' }),
  fc.constantFrom('node_modules', '@vite', 'client', 'list', 'a.b'),
)
const name = fc
  .tuple(segment, fc.constantFrom('', ...extensions.split(' ')), fc.boolean())
  .map(([base, extension, isUpper]) => {
    if (extension === '') return base
    return `${base}.${isUpper ? extension.toUpperCase() : extension}`
  })
const url = fc
  .tuple(
    fc.constantFrom('http://game.example', 'https://fonts.googleapis.com', 'file://'),
    fc.array(segment, { maxLength: 3 }),
    name,
    fc.constantFrom('', '?v=1', '?file=a.css'),
  )
  .map(([origin, folders, file, query]) => `${origin}/${[...folders, file].join('/')}${query}`)

describe('isAssetRequest', () => {
  it.prop([url])('tells the same as that of MSW', url => {
    const isAsset = isCommonAssetRequest({ url } as Request)

    expect(isAssetRequest({ url })).toBe(isAsset)
  })
})
