import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrationChecksums, type Release } from '../rules/released-migrations.ts'
import { treeOfWorkingCopy } from '../rules/repository-tree.ts'
import { extractPackage } from './previous-release.ts'

/**
 * Writes the folder of a release for `apps/e2e/releases`, so that tests of later releases can open its data: a backup
 * that the packaged gateway made, the answers of its API, and the checksums of its migrations.
 */
export function writeReleaseData(root: string, release: Omit<Release, 'migrations'>, deb: string, into: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'smsgw-release-data-'))
  try {
    const program = extractPackage(deb, join(folder, 'package'))
    const script = join(root, 'apps/e2e/upgrade/write-fixture.ts')
    execFileSync(process.execPath, [script, '--program', program, '--into', into], { stdio: 'inherit' })
    const migrations = migrationChecksums(treeOfWorkingCopy(root))
    writeFileSync(join(into, 'release.json'), `${JSON.stringify({ ...release, migrations }, undefined, 2)}\n`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
