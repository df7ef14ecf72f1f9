import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const docs = resolve(import.meta.dirname, '..')

const sidebar = [
  group('Start', ['index']),
  group('Guides', [
    'guides/first-sms',
    'guides/receive-by-webhook',
    'guides/api-keys',
    'guides/browser-notifications',
    'guides/client',
    'guides/raspberry-pi',
    'guides/add-a-modem',
    'guides/raspberry-pi-image',
    'guides/docker-compose',
    'guides/home-assistant',
    'guides/ansible',
    'guides/relay-on-a-server',
    'guides/kubernetes',
    'guides/two-relays',
    'guides/database-failover',
    'guides/cells',
    'guides/monitor',
    'backup',
    'guides/upgrade',
    'test-numbers',
  ]),
  group('Integrations', pagesIn('integrations')),
  group('Concepts', [
    'messages',
    'encryption',
    'architecture',
    'agent',
    'SECURITY',
    'performance',
    'sms-oracle',
    'glossary',
  ]),
  group('Reference', [
    'api',
    'webhooks',
    'api-console',
    'reference/api',
    'reference/webhook-events',
    'reference/settings',
    'reference/cli',
    'reference/metrics',
  ]),
  group('Help', ['troubleshooting', 'hardware', 'recordings', 'SUPPORT', 'CONTRIBUTING']),
  { ...group('Decisions', pagesIn('decisions')), collapsed: true },
]

refuseForgottenPages()

export default {
  title: 'smsgw',
  description: 'An SMS gateway for your own SIM cards: HTTP API, webhooks and console over USB GSM modems',
  lang: 'en',
  base: process.env.DOCS_BASE ?? '/',
  outDir: '../dist/docs',
  cacheDir: '../.cache/vitepress',
  // Pages contain <placeholders>, which are text. Anchors are the ones that the house rule for links expects.
  markdown: { html: false, anchor: { slugify: slugOf } },
  themeConfig: {
    sidebar,
    search: { provider: 'local' },
    outline: [2, 3],
  },
}

function group(text, pages) {
  return { text, items: pages.map((page) => ({ text: titleOf(page), link: page === 'index' ? '/' : `/${page}` })) }
}

function titleOf(page) {
  if (page === 'index') return 'Overview'
  return /^# (.+)$/m.exec(readFileSync(join(docs, `${page}.md`), 'utf8'))[1]
}

function pagesIn(folder) {
  return readdirSync(join(docs, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name.replace(/\.md$/, '')}`)
}

function refuseForgottenPages() {
  const listed = sidebar.flatMap(({ items }) => items.map(({ link }) => (link === '/' ? 'index' : link.slice(1))))
  const pages = ['.', 'guides', 'reference'].flatMap(pagesIn).map((page) => page.replace('./', ''))
  const forgotten = pages.filter((page) => !listed.includes(page))
  if (forgotten.length > 0) throw new Error(`docs/.vitepress/config.js does not list ${forgotten.join(', ')}`)
}

/** As `slugOf` of .repo/rules/documents/documents-name-files.ts. */
function slugOf(heading) {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')
}
