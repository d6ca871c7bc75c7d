import type { createMockmaker } from 'mockmaker'
import * as arbitraries from 'mockmaker/arbitraries'
import * as browser from 'mockmaker/browser'
import * as client from 'mockmaker/client'
import * as contract from 'mockmaker/contract'
import * as express from 'mockmaker/express'
import jestPreset from 'mockmaker/jest-preset'
import { setupMockmaker } from 'mockmaker/node'
import * as playwright from 'mockmaker/playwright'
import schema from 'mockmaker/scenario.schema.json'
import * as scenarios from 'mockmaker/scenarios'
import * as storybook from 'mockmaker/storybook'
import * as storybookPreset from 'mockmaker/storybook/preset'
import preset from 'mockmaker/storybook/preview'
import * as vite from 'mockmaker/vite'
import * as vitest from 'mockmaker/vitest'

export const all = [arbitraries, browser, client, contract, express, jestPreset, playwright, schema, scenarios]
export const others = [storybook, preset, storybookPreset, vite, vitest]
export const mock: ReturnType<typeof createMockmaker> = setupMockmaker()
// @ts-expect-error: it is not any
mock.missing
