import { expect } from 'vitest'
import { ok, post } from '../support/http.js'
import { ids, tokens } from '../support/tanks.js'
import type { Frame } from './frame.js'

const find = {
  game_modes: ['duel'],
  regions: null,
  prevent_auto_create_lobby: null,
  tags: null,
  max_players: null,
  captcha: null,
  verification_data: null,
}
const create = { game_mode: 'ffa', region: null, publicity: null, tags: null, max_players: null, lobby_config: null }
const namespace = `/cloud/games/${ids.tanks}/namespaces/${ids.prod}`
const nil = '00000000-0000-0000-0000-000000000000'

/** Specifies null for every operation: in an optional field it means absent (PROTOCOL.md B9). */
export function specifyOptionalNull({ describe, it }: Frame): void {
  describe('null in an optional field', () => {
    it.for([
      ['find', find, undefined, ids.lobby],
      ['find', find, tokens.public, ids.lobby],
      ['find', find, tokens.development, nil],
      ['find', { ...find, game_modes: ['ffa'], prevent_auto_create_lobby: true }, tokens.public, 'empty'],
      ['join', { lobby_id: ids.lobby, captcha: null, verification_data: null }, tokens.public, ids.lobby],
      ['join', { lobby_id: ids.lobby, captcha: null, verification_data: null }, tokens.development, nil],
      ['create', create, tokens.public, expect.stringMatching(/^[0-9a-f-]{36}$/)],
      ['create', create, tokens.development, nil],
    ] as const)('means absent: lobbies.%s of %j with %s', async ([call, body, token, lobby_id], { mock }) => {
      const seat = ok(await mock.send(post(`/matchmaker/lobbies/${call}`, body, token)))

      expect(seat).toMatchObject({ lobby: { lobby_id } })
    })

    it('means absent in a port of a list, and in a port with a label', async ({ mock }) => {
      const port = { label: 'a', target_port: 80, port_range: null, proxy_protocol: 'http' }
      const valid = { hostname: 'h', lobby_ports: [port, { ...port, label: 'b', target_port: null }] }
      const ports = { a: { port: null, port_range: { min: 1, max: 2 }, protocol: 'udp' } }

      const validated = await mock.send(post(`${namespace}/tokens/development/validate`, valid, tokens.cloud))
      const made = await mock.send(
        post(`${namespace}/tokens/development`, { hostname: 'h', ports, lobby_ports: null }, tokens.cloud),
      )

      expect(ok(validated)).toEqual({ errors: [{ path: ['ports', '1', 'missing-port-and-port-range'] }] })
      expect(ok(made)).toEqual({ token: expect.stringMatching(/^dev_prod\.mock\./) })
    })
  })
}
