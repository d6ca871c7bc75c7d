import { describe, expect, it } from 'vitest'
import { pageAt } from '../support/docs.js'
import { runHere } from '../support/run-here.js'

describe('mockmaker mcp in a terminal', () => {
  it('prints how to configure agents, and ends', async () => {
    const { code, stdout, stderr } = await runHere(['mcp'])

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('\nclaude mcp add mockmaker -- npx mockmaker mcp\n')
    expect(stdout).toContain('at http://127.0.0.1:4100, which')
  })

  it('prints the configurations of the guide', async () => {
    const { text, blocks } = pageAt('docs/guides/use-it-from-an-agent.md')
    const { stdout } = await runHere(['mcp'])

    const shown = blocks.filter(({ language }) => language === 'json').map(block => JSON.parse(block.text))
    const printed = [...stdout.matchAll(/^\{\n.*?^\}$/gms)].map(([json]) => JSON.parse(json))

    expect(shown).toEqual(printed)
    expect(printed).toHaveLength(2)
    expect(text).toContain('`claude mcp add mockmaker -- npx mockmaker mcp`')
  })

  it.for([
    [['--url', 'http://127.0.0.1:7350/w/test/'], {}],
    [[], { MOCKMAKER_URL: 'http://127.0.0.1:7350/w/test' }],
  ] as const)('keeps the URL of %j and %j, and never a token', async ([flags, env]) => {
    const secret = 'Secret-control-token-0123456789'

    const { stdout } = await runHere(['mcp', ...flags], { env: { ...env, MOCKMAKER_CONTROL_TOKEN: secret } })

    expect(stdout).toContain('npx mockmaker mcp --url http://127.0.0.1:7350/w/test\n')
    expect(stdout).toContain('"--url",\n        "http://127.0.0.1:7350/w/test"')
    expect(stdout).not.toContain(secret)
  })
})

describe('mockmaker mcp', () => {
  it.for([
    [['mcp', 'friday-night'], "too many arguments for 'mcp'"],
    [['mcp', '--url', 'nope'], 'Expected a URL, as in http://127.0.0.1:4100.'],
    [['mcp', '--prot', '4100'], "unknown option '--prot'"],
    [['mcp', '--control-token', 'x'], 'the control token'],
  ] as const)('refuses %j', async ([args, message]) => {
    const { code, stdout, stderr } = await runHere(args)

    expect(code).toBeGreaterThan(0)
    expect(stdout).toBe('')
    expect(stderr).toContain(message)
  })
})
