import { readFileSync } from 'node:fs'
import react from '@vitejs/plugin-react'
import { IntlMessageFormat } from 'intl-messageformat'
import { defineConfig, type Plugin } from 'vite'

/** Parses the texts of the catalogues at build time, so that the parser (8 kB compressed) is not loaded. */
const parsedCatalogues: Plugin = {
  name: 'parsed-catalogues',
  apply: 'build',
  enforce: 'pre',
  config: () => ({
    resolve: { alias: { '@formatjs/icu-messageformat-parser': '@formatjs/icu-messageformat-parser/no-parser.js' } },
  }),
  load(id) {
    const language = /\/words\/(\w+)\.json$/.exec(id)?.[1]
    if (language === undefined) return null
    const texts: Record<string, string> = JSON.parse(readFileSync(id, 'utf8'))
    const parsed = Object.entries(texts).map(([key, text]) => [
      key,
      /[{<']/.test(text) ? new IntlMessageFormat(text, language).getAst() : text,
    ])
    return { code: `export default ${JSON.stringify(Object.fromEntries(parsed))}`, moduleType: 'js' }
  },
}

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), parsedCatalogues],
  build: {
    target: 'es2023',
    // Nothing inlined: the Content-Security-Policy lets through files of our own alone.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    emptyOutDir: true,
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      checks: { pluginTimings: false },
      // One file for what several pages share: each file costs about 700 bytes of headers.
      output: { codeSplitting: { groups: [{ name: 'shared', minShareCount: 2 }] } },
    },
  },
  // While one works on it: `npx vite apps/console`, beside a relay or gateway.
  server: { proxy: { '/3rdparty': { target: process.env['API_URL'] ?? 'http://127.0.0.1:3000' } } },
})
