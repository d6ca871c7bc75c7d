import addonDocs from '@storybook/addon-docs'
import { definePreview } from '@storybook/react-vite'
import { mockmaker } from 'mockmaker/storybook'
import addonMsw from 'msw-storybook-addon'

// MOCKMAKER_FIRST changes the order of the addons. It must not matter.
const both = import.meta.env.STORYBOOK_MOCKMAKER_FIRST ? [mockmaker(), addonMsw()] : [addonMsw(), mockmaker()]

export default definePreview({ addons: [addonDocs(), ...both], tags: ['autodocs'] })
