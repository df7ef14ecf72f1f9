// `npm run build`: bundles each app into dist/<app> for packages and images; `-- --into <folder>` selects another
// folder. Native addons are added to the package.
import { cpSync, existsSync, rmSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import './build-console.ts'
import { appBundles } from './packaging/app-bundle.ts'
import { bundleApp } from './packaging/bundle-app.ts'

const root = resolve(import.meta.dirname, '..')
const { values } = parseArgs({ options: { into: { type: 'string', default: join(root, 'dist') } } })
const into = resolve(values.into)

rmSync(into, { recursive: true, force: true })
for (const [app, bundle] of Object.entries(appBundles)) {
  const folder = join(into, app)
  await bundleApp(root, folder, bundle)
  for (const [name, from] of Object.entries(bundle.beside)) {
    if (existsSync(join(root, from))) cpSync(join(root, from), join(folder, name), { recursive: true })
  }
  process.stdout.write(`built ${app}: ${relative('.', join(folder, 'main.js'))}\n`)
}
