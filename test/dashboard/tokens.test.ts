import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const css = readFileSync('src/dashboard/styles/0-tokens.css', 'utf8')

/** Returns the colours of a part of the style, by their names. */
const coloursIn = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(/--([\w-]+): (#[\da-f]{3,6});/g)].map(([, name, colour]) => [name, colour]))

const [lightPart = '', darkPart = ''] = css.split('@media (prefers-color-scheme: dark)')
const light = coloursIn(lightPart)
const schemes = { light, dark: { ...light, ...coloursIn(darkPart) } }

/** Returns the relative luminance of a colour, by WCAG 2. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map(at => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map(part => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(one: string, other: string): number {
  const [lower = 0, higher = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (higher + 0.05) / (lower + 0.05)
}

const surfaces = ['paper', 'panel', 'sunken', 'hover']

/** The colours of texts, and the surfaces on which they stand. */
const texts: Readonly<Record<string, readonly string[]>> = {
  ink: [...surfaces, 'accent-tint', 'good-tint', 'warn-tint', 'bad-tint', 'sea', 'seat-soft'],
  muted: [...surfaces, 'sea'],
  accent: [...surfaces, 'accent-tint', 'sea'],
  'on-accent': ['accent'],
  good: [...surfaces, 'good-tint'],
  warn: [...surfaces, 'warn-tint'],
  bad: [...surfaces, 'bad-tint', 'sea'],
}

/** The colours of dots, bars and lines. */
const marks: Readonly<Record<string, readonly string[]>> = {
  accent: ['panel', 'sea', 'land'],
  'good-mark': ['panel'],
  'warn-mark': ['panel'],
  'bad-mark': ['panel', 'sea'],
  seat: ['panel', 'sea'],
}

describe.for(Object.entries(schemes))('the colours of the %s scheme', ([, colours]) => {
  const tooLow = (pairs: typeof texts, least: number) =>
    Object.entries(pairs).flatMap(([name, grounds]) =>
      grounds.flatMap(ground => {
        const ratio = contrast(colours[name] ?? '', colours[ground] ?? '')
        return ratio >= least ? [] : [`${name} on ${ground}: ${ratio.toFixed(2)}`]
      }),
    )

  it('have a contrast of 4.5 for texts', () => {
    expect(tooLow(texts, 4.5)).toEqual([])
  })

  it('have a contrast of 3 for marks', () => {
    expect(tooLow(marks, 3)).toEqual([])
  })
})

it('each scheme names all colours', () => {
  const names = (part: string) => Object.keys(coloursIn(part)).sort()
  expect(names(darkPart)).toEqual(names(lightPart))
})
