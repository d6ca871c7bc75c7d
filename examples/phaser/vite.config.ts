import { mockmaker } from 'mockmaker/vite'
import { defineConfig } from 'vite'

export default defineConfig({
  // The mock also starts the game servers of the scenario.
  plugins: [mockmaker({ path: '/mm', scenario: 'scenario.mockmaker.yaml', servers: true })],
})
