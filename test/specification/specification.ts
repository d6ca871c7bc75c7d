import { specifyAuth } from './auth.js'
import { specifyDeviceLinks } from './device-link.js'
import type { Frame } from './frame.js'
import { specifyGames } from './game.js'
import { specifyLobbyList } from './lobby-list.js'
import { specifyMatchmaker } from './matchmaker.js'
import { specifyNamespaces } from './namespace.js'
import { specifyNamespaceDomains } from './namespace-domain.js'
import { specifyNamespaceTokens } from './namespace-token.js'
import { specifyNamespaceValidation } from './namespace-validation.js'
import { specifyResponses } from './response.js'

/** Specifies every operation, for a mock of tanks without earlier requests. */
export function specification(frame: Frame): void {
  essentials(frame)
  specifyNamespaceValidation(frame)
  specifyGames(frame)
  specifyNamespaces(frame)
  specifyNamespaceTokens(frame)
  specifyNamespaceDomains(frame)
  specifyAuth(frame)
  specifyMatchmaker(frame)
}

/** The part of the specification for each entry point: reads, writes, watches, errors, headers and bodies. */
export function essentials(frame: Frame): void {
  specifyLobbyList(frame)
  specifyDeviceLinks(frame)
  specifyResponses(frame)
}
