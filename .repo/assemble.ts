// `node .repo/assemble.ts <folder> <app>… [--arch x64|arm64] [--built <folder>]`: copies the output of `npm run build`
// into a folder. The apps in this folder run without the repository.
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { architectureOf } from './packaging/app-bundle.ts'
import { assembleApps } from './packaging/assemble-apps.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { arch: { type: 'string', default: process.arch }, built: { type: 'string' } },
})
const [folder, ...apps] = positionals
if (folder === undefined || apps.length === 0) {
  process.stderr.write('usage: node .repo/assemble.ts <folder> <app>… [--arch x64|arm64] [--built <folder>]\n')
  process.exit(2)
}
assembleApps(resolve(import.meta.dirname, '..'), resolve(folder), {
  apps,
  architecture: architectureOf(values.arch),
  built: values.built,
})
