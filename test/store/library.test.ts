import { describeRefusals, setLobby } from '../support/refusals.js'

describeRefusals([
  [
    'a create with a value of the wrong type',
    t => t.lobbies.create({ is_closed: 'no' as never }),
    'lobbies.create: is_closed is "no": expected boolean',
  ],
  [
    'a create without what it needs',
    t => t.tokens.create({ kind: 'cloud' } as never),
    'tokens.create: game_id is missing: expected string',
  ],
  [
    'a create with a number above its maximum',
    t => t.lobbies.create({ max_players_normal: 2 ** 32 }),
    'lobbies.create: max_players_normal is 4294967296: expected at most 4294967295',
  ],
  [
    'a create with more players than fit',
    t => t.lobbies.create({ total_player_count: 9 }),
    'lobbies.create: total_player_count is 9: expected at most 8, the most that the lobby takes',
  ],
  [
    'a create with an id that has a slash',
    t => t.games.create({ game_id: 'a/b', name_id: 'a' }),
    'games.create: game_id is "a/b": expected 1 to 128 characters without white space or /',
  ],
  [
    'an update with a value of the wrong type',
    setLobby({ is_closed: 1 }),
    'lobbies.update: is_closed is 1: expected boolean',
  ],
  [
    'an update with a key too few',
    t =>
      t.games.update(q => q.where({ game_id: 'tanks' }), {
        data: draft => void Reflect.deleteProperty(draft, 'name_id'),
      }),
    'games.update: name_id is missing: expected string',
  ],
  [
    'several problems',
    t => t.lobbies.create({ is_closed: 1 as never, publicity: 'all' as never }),
    'lobbies.create: publicity is "all": expected "public" or "private"; is_closed is 1: expected boolean',
  ],
  ['an id that is there', t => t.lobbies.create({ lobby_id: 'l0' }), 'lobbies.create: lobby_id "l0" is there already'],
  [
    'an id of two columns that is there',
    t => t.gameModes.create({ game_mode_id: 'duel' }),
    'gameModes.create: namespace_id/game_mode_id "prod/duel" is there already',
  ],
  [
    'an id twice in one turn',
    async t => {
      await t.games.create({ game_id: 'x', name_id: 'x' })
      await t.games.create({ game_id: 'x', name_id: 'x' })
    },
    'games.create: game_id "x" is there already',
  ],
  ['an id that changes', setLobby({ lobby_id: 'l9' }), 'lobbies.update: lobby_id "l0" cannot become "l9"'],
])
