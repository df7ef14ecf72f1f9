import { withBenchDatabase } from './bench-database.ts'
import { readdirSync, readFileSync } from 'node:fs'
import * as speed from './webhook-speed.ts'
export function pgCpu(): number { let t = 0; for (const p of readdirSync('/proc')) { if (!/^\d+$/.test(p)) continue; try { const s = readFileSync(`/proc/${p}/stat`,'utf8'); const f = s.slice(s.lastIndexOf(')')+2).split(' '); if (!s.includes('(postgres)')) continue; const cmd = readFileSync(`/proc/${p}/cmdline`,'utf8'); const env = Number(f[1]); tree.has(env) || cmd.includes('smsgw-bench') ? t += Number(f[11])+Number(f[12]) : 0 } catch {} } return t*10 }
const tree = new Set<number>()
await withBenchDatabase(async (d) => {
  // postmaster pid
  for (const p of readdirSync('/proc')) { if (!/^\d+$/.test(p)) continue; try { const cmd = readFileSync(`/proc/${p}/cmdline`,'utf8'); if (cmd.includes('postgres') && cmd.includes('smsgw-bench')) tree.add(Number(p)) } catch {} }
  ;(globalThis as any).__cpu = () => ({ node: process.cpuUsage(), pg: pgCpu() })
  await speed.benchWebhookRate(d, Number(process.argv[2]), 2)
})
