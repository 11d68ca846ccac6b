import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  base: '/console/',
  plugins: [react()],
  build: {
    // Files of their own: the content security policy allows no data: addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2023',
  },
  // `npx vite` in this folder serves the sources with the API of a service that runs beside it.
  server: { host: '127.0.0.1', proxy: { '/v1': 'http://127.0.0.1:8787', '/oidc': 'http://127.0.0.1:8787' } },
})
