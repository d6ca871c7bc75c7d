export default {
  preset: 'mockmaker',
  testMatch: ['**/*.test.mjs'],
}
