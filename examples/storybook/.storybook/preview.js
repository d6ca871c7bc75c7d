export default {
  tags: ['autodocs'],
  initialGlobals: { locale: 'en' },
  globalTypes: {
    locale: {
      description: 'Language',
      toolbar: {
        icon: 'globe',
        dynamicTitle: true,
        items: [
          { value: 'en', title: 'English' },
          { value: 'fr', title: 'French' },
        ],
      },
    },
  },
}
