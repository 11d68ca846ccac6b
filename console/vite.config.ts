import { readFileSync } from 'node:fs'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

const BASE = '/console/'
const EARLY_THEME = 'src/shell/early-theme.js'

/** Puts the theme before everything else on the page, as a script of its own: the content security policy allows none inside. */
function earlyTheme(): Plugin {
  const file = new URL(EARLY_THEME, import.meta.url)
  let isBuild = false
  let id = ''
  return {
    name: 'early-theme',
    configResolved: ({ command }) => {
      isBuild = command === 'build'
    },
    buildStart() {
      if (isBuild) id = this.emitFile({ type: 'asset', name: 'theme.js', source: readFileSync(file, 'utf8') })
    },
    generateBundle() {
      if (isBuild) id = this.getFileName(id)
    },
    transformIndexHtml: {
      order: 'post',
      handler: () => [
        { tag: 'script', attrs: { src: BASE + (isBuild ? id : EARLY_THEME) }, injectTo: 'head-prepend' },
      ],
    },
  }
}

export default defineConfig({
  base: BASE,
  plugins: [react(), earlyTheme()],
  build: {
    // Files of their own: the content security policy allows no data: addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2023',
    // What many pages share is in few files: small ones compress badly.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [{ name: 'shared', test: /lucide-react|src.(ui|session|data)/, minShareCount: 5 }],
        },
      },
    },
  },
  // `npx vite` in this folder serves the sources with the API of a service that runs beside it.
  server: {
    host: '127.0.0.1',
    proxy: { '/v1': 'http://127.0.0.1:8787', '/oidc': 'http://127.0.0.1:8787' },
    // The client, and the measuring code of the command line, are above this folder.
    fs: { allow: ['..'] },
  },
})
