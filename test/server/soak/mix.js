// @ts-check

/** The tokens of the shipped `default` scenario. */
const bearers = { public: 'pub_prod.mock.one', development: 'dev_prod.mock.one', cloud: 'cloud.mock.tanks' }
export const gameId = '11111111-1111-4111-8111-111111111111'
const list = '/matchmaker/lobbies/list'

/**
 * A request, and the expected status of its answer.
 *
 * @typedef {object} Asked
 * @property {string} text As it is sent.
 * @property {number} status
 */

/**
 * Returns a random generator with a seed: numbers from 0 to 1, the same each time.
 *
 * @param {number} seed
 */
export function seeded(seed) {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/**
 * Encodes a request.
 *
 * @param {string} line `GET /path?query`
 * @param {Readonly<Record<string, string>>} [headers]
 * @param {unknown} [body] An object, or a text that is sent as it is.
 */
export function request(line, headers = {}, body) {
  const content = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body)
  const all = { host: 'localhost', ...headers, ...(body !== undefined && { 'content-length': content.length }) }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  return `${line} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${content}`
}

/**
 * Returns the header with a token.
 *
 * @param {keyof bearers} kind
 */
export const bearer = kind => ({ authorization: `Bearer ${bearers[kind]}` })

/** @type {readonly (() => Asked)[]} */
const repeated = [
  () => ok(request(`GET ${list}`)),
  () => ok(request(`GET ${list}?include_state=true`, bearer('public'))),
  () => ok(request(`GET ${list}`, bearer('development'))),
  () => refused(400, request(`DELETE ${list}`)),
  () => refused(401, request(`POST /cloud/games/${gameId}/namespaces/validate`, {}, {})),
]

/**
 * Requests that are different for each text, so that no cache can answer them.
 *
 * @type {readonly ((own: string, random: () => number) => Asked)[]}
 */
const endless = [
  (_, random) => ok(request(`GET ${list}`, { 'x-coords': `${random() * 90},${random() * 180}` })),
  own => ok(request(`GET ${list}?${own}=1`)),
  own => ok(request(`GET ${list}?include_state=true&a=${own}&${own}=b`, bearer('public'))),
  own => ok(request(`GET ${list}`, { ...bearer('public'), origin: `https://${own}.example` })),
  own =>
    ok(request(`POST /cloud/games/${own}/namespaces/validate`, bearer('cloud'), { display_name: own, name_id: own })),
  own =>
    ok(
      request(`POST /cloud/games/${own}/namespaces/${own}/tokens/development/validate`, bearer('cloud'), {
        hostname: own,
        lobby_ports: [{ label: own, target_port: 80, proxy_protocol: 'http' }],
      }),
    ),
  own => ({
    status: 204,
    text: request(`OPTIONS /${own}`, { origin: 'http://localhost:1', 'access-control-request-headers': own }),
  }),
  own => refused(400, request(`GET ${list}?include_state=${own}`)),
  own => refused(400, request(`GET ${list}`, { 'x-coords': own })),
  own => refused(400, request(`GET ${list}`, { authorization: `Bearer ${own}` })),
  own => refused(400, request(`GET /cloud/devices/links?device_link_token=${own}`)),
  own => refused(400, request(`POST /cloud/games/${gameId}/namespaces/validate`, bearer('cloud'), `{"${own}`)),
  own => refused(404, request(`GET /${own}`)),
  own => refused(403, request(`GET ${list}`, { host: `${own}.example` })),
  own =>
    refused(
      404,
      request(`POST /cloud/games/${gameId}/namespaces/${own}/mm-config`, bearer('cloud'), {
        lobby_count_max: 1,
        max_players: 1,
      }),
    ),
]

/**
 * Returns requests that do not wait: some repeat, and some are new.
 *
 * @param {number} count
 * @param {() => number} random
 * @returns {readonly Asked[]}
 */
export function mixed(count, random) {
  return Array.from({ length: count }, () => {
    const own = `own${Math.floor(random() * 2 ** 32).toString(36)}`
    return random() < 0.4 ? pick(repeated, random)() : pick(endless, random)(own, random)
  })
}

/**
 * @template T
 * @param {readonly T[]} choices None of them is undefined, and there is at least one.
 * @param {() => number} random
 */
function pick(choices, random) {
  return /** @type {T} */ (choices[Math.floor(random() * choices.length)])
}

/**
 * @param {string} text
 * @returns {Asked}
 */
function ok(text) {
  return { status: 200, text }
}

/**
 * @param {number} status
 * @param {string} text
 * @returns {Asked}
 */
function refused(status, text) {
  return { status, text }
}
