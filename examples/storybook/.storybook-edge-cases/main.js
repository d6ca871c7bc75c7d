export default {
  framework: '@storybook/react-vite',
  stories: ['../test/!(Failing|MswLoader).stories.jsx'],
  addons: ['@storybook/addon-docs', 'mockmaker/storybook', 'msw-storybook-addon'],
  core: { disableTelemetry: true },
}
