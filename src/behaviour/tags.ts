import { ApiError } from '../contract/errors.js'
import { utf8Length } from '../contract/formats.js'
import { quoted } from '../lib/quote.js'
import type { GameModeRow } from '../store/rows.js'

/** The most tags of a lobby, and the longest names and values, in bytes (PROTOCOL.md C). */
const limits = { tags: 8, name: 128, value: 512 }

type Tags = Readonly<Record<string, string>>

/** Throws `ApiError` where they are too many or too long, or a game mode takes none (PROTOCOL.md C). */
export function checkTags(tags: Tags = {}, modes: readonly GameModeRow[] = []): void {
  const entries = Object.entries(tags)
  if (entries.length === 0) return
  if (entries.length > limits.tags)
    throw new ApiError('MATCHMAKER_TOO_MANY_TAGS', `there are ${entries.length} tags: send at most ${limits.tags}`)
  for (const [name, value] of entries) {
    if (utf8Length(name) > limits.name)
      throw new ApiError('MATCHMAKER_TAG_NAME_TOO_LONG', `tag ${quoted(name)} has ${tooLong(name, limits.name)}`)
    if (utf8Length(value) > limits.value)
      throw new ApiError(
        'MATCHMAKER_TAG_TOO_LONG',
        `the value of tag ${quoted(name)} has ${tooLong(value, limits.value)}`,
      )
  }
  const tagless = modes.find(mode => mode.taggable === false)
  if (tagless)
    throw new ApiError(
      'MATCHMAKER_TAGS_DISABLED',
      `game mode ${tagless.game_mode_id} takes no tags: leave tags out, or remove "taggable: false" from the scenario`,
    )
}

function tooLong(text: string, most: number): string {
  return `${utf8Length(text)} bytes: send at most ${most}`
}

/** Whether a lobby has all tags that are asked for. */
export function hasTags(tags: Tags = {}, asked: Tags = {}): boolean {
  return Object.entries(asked).every(([name, value]) => tags[name] === value)
}
