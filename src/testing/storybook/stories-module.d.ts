declare module '#stories' {
  export const startStories: import('./worker.js').StartStories
}
