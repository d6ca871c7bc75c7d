import { mockmaker } from 'mockmaker/vite'
import { defineConfig } from 'vite'

export default defineConfig({
  plugins: [mockmaker({ path: '/mm', scenario: 'scenario.mockmaker.yaml' })],
})
