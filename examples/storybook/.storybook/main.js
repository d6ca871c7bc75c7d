export default {
  framework: '@storybook/react-vite',
  stories: ['../src/*.stories.jsx'],
  addons: ['@storybook/addon-docs', 'mockmaker/storybook'],
  core: { disableTelemetry: true },
}
