import { readFileSync } from 'node:fs'
import react from '@vitejs/plugin-react'
import { IntlMessageFormat } from 'intl-messageformat'
import { build, defineConfig, type Plugin } from 'vite'

/** English texts that are not part of the first load (`later-words.ts`). */
const LATER = /^(?:finding(?:Advice|Check)?|cause)\./

/** Parses the texts of the catalogues at build time, so that the parser (8 kB compressed) is not loaded. */
const parsedCatalogues: Plugin = {
  name: 'parsed-catalogues',
  apply: 'build',
  enforce: 'pre',
  config: () => ({
    resolve: { alias: { '@formatjs/icu-messageformat-parser': '@formatjs/icu-messageformat-parser/no-parser.js' } },
  }),
  resolveId(source, importer) {
    return source === './en.json' && importer?.endsWith('/later-words.ts')
      ? `${import.meta.dirname}/src/words/en.json?later`
      : null
  },
  load(id) {
    const [, file = '', language, part] = /(.*\/words\/(\w+)\.json)(\?later)?$/.exec(id) ?? []
    if (language === undefined) return null
    const texts: Record<string, string> = JSON.parse(readFileSync(file, 'utf8'))
    const isHere = (key: string) => language !== 'en' || LATER.test(key) === (part !== undefined)
    const parsed = Object.entries(texts)
      .filter(([key]) => isHere(key))
      .map(([key, text]) => [key, /[{<']/.test(text) ? new IntlMessageFormat(text, language).getAst() : text])
    return { code: `export default ${JSON.stringify(Object.fromEntries(parsed))}`, moduleType: 'js' }
  },
}

/**
 * Builds the service worker as one file whose name never changes, because browsers look for updates under that name.
 * The file contains only the texts of notifications in each language.
 */
const serviceWorker: Plugin = {
  name: 'service-worker',
  apply: 'build',
  async generateBundle() {
    const words = languages.map((language) => {
      const file = `${import.meta.dirname}/src/words/${language}.json`
      this.addWatchFile(file)
      const texts = Object.entries(JSON.parse(readFileSync(file, 'utf8')))
      return [language, Object.fromEntries(texts.filter(([key]) => key.startsWith('push.')))]
    })
    const built = await build({
      configFile: false,
      logLevel: 'warn',
      publicDir: false,
      define: { PUSH_WORDS: JSON.stringify(Object.fromEntries(words)) },
      build: {
        write: false,
        target: 'es2023',
        rolldownOptions: {
          input: `${import.meta.dirname}/src/notifications/service-worker.ts`,
          output: { format: 'iife' },
        },
      },
    })
    const [chunk] = [built].flat().flatMap((one) => ('output' in one ? one.output : []))
    if (chunk?.type !== 'chunk') throw new Error('the service worker was not built')
    this.emitFile({ type: 'asset', fileName: 'service-worker.js', source: chunk.code })
  },
}

/** The texts of the form that is shown before the program has loaded. */
function signInWords(): string {
  const keys = {
    title: 'signIn.title',
    about: 'signIn.about',
    username: 'signIn.username',
    password: 'password.title',
    help: 'signIn.help',
  }
  const words = languages.map((language) => {
    const texts = JSON.parse(readFileSync(`${import.meta.dirname}/src/words/${language}.json`, 'utf8'))
    const chosen = Object.entries({ ...keys, wait: 'common.loading' }).map(([name, key]) => [name, texts[key]])
    return [language, Object.fromEntries(chosen)]
  })
  return JSON.stringify(Object.fromEntries(words))
}

const languages = ['en', 'de', 'es', 'ar']

export default defineConfig({
  root: import.meta.dirname,
  define: { SIGN_IN_WORDS: signInWords() },
  plugins: [react(), parsedCatalogues, serviceWorker],
  build: {
    target: 'es2023',
    // Inlines nothing, because the Content-Security-Policy allows only files of this server.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    emptyOutDir: true,
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      checks: { pluginTimings: false },
      output: {
        codeSplitting: {
          groups: [
            // Keeps the modules of the first script in separate files, so that it loads only its own few modules.
            {
              name: 'boot',
              test: /[/]src[/](boot[/]|api[/]early-session|words[/]language)|^.?vite[/]|^.?rolldown/,
              priority: 2,
            },
            // Puts the modules that several pages share into one file, because each file needs about 700 bytes of
            // headers. Leaves out the modules for long lists and for diagnostics, because the first page does not use
            // them.
            {
              name: 'shared',
              test: /^(?!.*([/]@tanstack[/](react-virtual|virtual-core)[/]|[/]windowed-list|[/](finding|modem|examine|pair|timeline)-[a-z]+[.]tsx?$|[/]later-words|[?]later$))/,
              minShareCount: 2,
              priority: 1,
            },
          ],
        },
      },
    },
  },
  // For development: `npx vite apps/console`, next to a running relay or gateway.
  server: { proxy: { '/3rdparty': { target: process.env['API_URL'] ?? 'http://127.0.0.1:3000' } } },
})
