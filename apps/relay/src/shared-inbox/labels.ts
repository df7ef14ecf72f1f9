import { idParams } from '@smsgw/contract/fields/ids'
import {
  changeLabelRequest,
  createLabelRequest,
  type Label as LabelAnswer,
  label,
} from '@smsgw/contract/inbox/shared-inbox'
import { z } from 'zod'
import type { CoreDeps } from '../core-deps.ts'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import { ApiError } from '../http/errors/api-error.ts'
import { newId } from '../random.ts'
import { type Label, Prisma } from '../store/generated/client.ts'

type LabelDeps = Pick<CoreDeps, 'database' | 'clock' | 'random'>

/** The largest number of labels, which is sufficient for any team and still fits into a menu. */
const MOST_LABELS = 100

/** Lists labels by name. */
export function listLabels({ database }: LabelDeps): Endpoint {
  return endpoint({
    answers: { 200: z.array(label) },
    async handle({ principal: { accountId } }) {
      const labels = await database.label.findMany({ where: { accountId }, orderBy: { name: 'asc' } })
      return { status: 200, body: labels.map(labelAnswer) }
    },
  })
}

export function createLabel({ database, clock, random }: LabelDeps): Endpoint {
  return endpoint({
    body: createLabelRequest,
    answers: { 201: label },
    errors: [409],
    async handle({ principal: { accountId }, body }) {
      if ((await database.label.count({ where: { accountId } })) >= MOST_LABELS)
        throw new ApiError(409, `The account has ${MOST_LABELS} labels, the maximum: delete one`, {
          reason: 'too_many_labels',
          values: { maximum: MOST_LABELS },
        })
      const data = { ...body, id: newId(random), accountId, createdAt: clock.now() }
      const stored = await withUniqueName(() => database.label.create({ data }))
      return { status: 201, body: labelAnswer(stored) }
    },
  })
}

/** Renames a label or changes its colour. */
export function changeLabel({ database }: LabelDeps): Endpoint {
  return endpoint({
    params: idParams,
    body: changeLabelRequest,
    answers: { 200: label },
    errors: [409],
    async handle({ principal: { accountId }, params: { id }, body }) {
      const { name, color } = body
      const data = { ...(name !== undefined && { name }), ...(color !== undefined && { color }) }
      await withUniqueName(() => database.label.updateMany({ where: { accountId, id }, data }))
      const stored = await database.label.findFirst({ where: { accountId, id } })
      if (stored === null) throw unknownLabel()
      return { status: 200, body: labelAnswer(stored) }
    },
  })
}

/** Deletes a label and removes it from all conversations. */
export function deleteLabel({ database }: LabelDeps): Endpoint {
  return endpoint({
    params: idParams,
    answers: { 204: null },
    async handle({ principal: { accountId }, params: { id } }) {
      const { count } = await database.label.deleteMany({ where: { accountId, id } })
      if (count === 0) throw unknownLabel()
      return { status: 204 }
    },
  })
}

function unknownLabel(): ApiError {
  return new ApiError(404, 'No label has this id')
}

function labelAnswer({ id, name, color, createdAt }: Label): LabelAnswer {
  return { id, name, color: color as LabelAnswer['color'], createdAt: createdAt.toISOString() }
}

async function withUniqueName<Result>(write: () => Promise<Result>): Promise<Result> {
  try {
    return await write()
  } catch (error) {
    if (!(error instanceof Prisma.PrismaClientKnownRequestError) || error.code !== 'P2002') throw error
    throw new ApiError(409, 'Another label of the account has this name: choose another name', {
      reason: 'label_exists',
    })
  }
}
