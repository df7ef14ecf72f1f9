import type { Database } from '../store/database.ts'

export interface AccountSummary {
  readonly id: string
  readonly username: string
  readonly createdAt: Date
  readonly devices: number
}

/** Lists all accounts by name. For the operator only: no other list spans accounts. */
export async function listAccounts(database: Database): Promise<AccountSummary[]> {
  const accounts = await database.account.findMany({
    orderBy: { username: 'asc' },
    select: {
      id: true,
      username: true,
      createdAt: true,
      _count: { select: { devices: { where: { deletedAt: null } } } },
    },
  })
  return accounts.map(({ _count, ...account }) => ({ ...account, devices: _count.devices }))
}
