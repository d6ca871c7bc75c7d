import { mockmaker } from 'mockmaker/vitest'
import { expect } from 'vitest'
import { waitForLink } from '../src/matchmaker.js'

const test = mockmaker({ scenario: { games: [{ name_id: 'tanks' }] } }).extend('link', async ({ mock }) =>
  mock.world.deviceLinks.create({}),
)

test('waits for the link', async ({ mock, link }) => {
  const token = waitForLink(link.device_link_token)
  await mock.blocked()

  await mock.completeDeviceLink(link.device_link_token)

  expect(await token).toMatch(/^cloud\.mock\./)
  expect(mock).toHaveNoWarnings()
})
