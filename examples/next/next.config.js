export default {
  // The mock during development, and the real service in a build. Code of the server and of the page reads it.
  env: { MATCHMAKER_URL: process.env.MOCKMAKER_URL ?? 'https://matchmaker.example' },
}
