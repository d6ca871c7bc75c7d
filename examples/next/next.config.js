export default {
  env: {
    // The mock during development, and the real service in a build. Code of the server and of the page reads it.
    MATCHMAKER_URL: process.env.MOCKMAKER_URL ?? 'https://matchmaker.example',
    // `in-process`: the server and the page have mocks of their own.
    MOCK: process.env.MOCK ?? '',
  },
}
