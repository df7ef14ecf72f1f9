import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  build: {
    target: 'es2023',
    // Nothing inlined: the Content-Security-Policy lets through files of our own alone.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    emptyOutDir: true,
    chunkSizeWarningLimit: 700,
    rolldownOptions: { checks: { pluginTimings: false } },
  },
  // While one works on it: `npx vite apps/console`, beside a relay or gateway.
  server: { proxy: { '/3rdparty': { target: process.env['API_URL'] ?? 'http://127.0.0.1:3000' } } },
})
