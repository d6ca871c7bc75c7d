import * as z from 'zod'

/** The parameter of a path that names a game. */
export const InGame = z.object({ game_id: z.string().meta({ description: 'The id of a game.' }) })

/** The parameters of a path that names a namespace of a game. */
export const InNamespace = InGame.extend({
  namespace_id: z.string().meta({ description: 'The id of a namespace of the game.' }),
})
