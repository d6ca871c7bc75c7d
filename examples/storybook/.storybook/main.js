export default {
  framework: '@storybook/react-vite',
  stories: ['../src/*.stories.jsx', '../test/{Failing,MswLoader}.stories.jsx'],
  addons: ['@storybook/addon-docs', 'mockmaker/storybook', '@storybook/addon-vitest'],
  core: { disableTelemetry: true },
}
