import { withBenchDatabase } from './bench-database.ts'
import { benchWebhookRate } from './webhook-speed.ts'
import { Settler } from '../src/webhooks/delivery/settler.ts'
import { PrismaClient } from '../src/store/generated/client.ts'
const stat: Record<string, {n:number, ms:number, rows:number}> = {}
const g = globalThis as any
g.__time = (kind: string, rows: number, p: Promise<any>) => { const t = performance.now(); p.then((x) => { const s = (stat[kind] ??= {n:0, ms:0, rows:0}); s.n++; s.ms += performance.now() - t; s.rows += rows || x?.length || 0 }); return p }
await withBenchDatabase((d) => benchWebhookRate(d, Number(process.argv[2]), 1))
for (const [k, s] of Object.entries(stat).sort((a,b)=>b[1].ms-a[1].ms).slice(0,8)) console.log(k, 'n', s.n, 'avg ms', (s.ms/s.n).toFixed(2), 'rows/each', (s.rows/s.n).toFixed(1))
