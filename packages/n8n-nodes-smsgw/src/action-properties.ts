import type { NodeProperty } from './n8n.ts'

const forMessage = (...operation: string[]) => ({ show: { resource: ['message'], operation } })
const lists = [
  { resource: ['message'], operation: ['getMany'] },
  { resource: ['conversation'], operation: ['read', 'getMany'] },
  { resource: ['received'], operation: ['getMany'] },
]

function operationOf(resource: string, initial: string, options: NonNullable<NodeProperty['options']>): NodeProperty {
  return {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    default: initial,
    displayOptions: { show: { resource: [resource] } },
    options,
  }
}

/** The fields of the action node. */
export const actionProperties: readonly NodeProperty[] = [
  {
    displayName: 'Resource',
    name: 'resource',
    type: 'options',
    noDataExpression: true,
    default: 'message',
    options: [
      { name: 'Conversation', value: 'conversation' },
      { name: 'Message', value: 'message' },
      { name: 'Received Message', value: 'received' },
    ],
  },
  operationOf('message', 'send', [
    {
      name: 'Cancel',
      value: 'cancel',
      action: 'Cancel a message',
      description: 'Cancel a message that is not sent yet',
    },
    { name: 'Get', value: 'get', action: 'Get a message', description: 'Get the state of a sent message' },
    {
      name: 'Get Many',
      value: 'getMany',
      action: 'Get many messages',
      description: 'List sent messages, newest first',
    },
    { name: 'Send', value: 'send', action: 'Send a message', description: 'Send a text message' },
    {
      name: 'Wait for Delivery',
      value: 'wait',
      action: 'Wait for the delivery of a message',
      description: 'Wait until a message is delivered, has failed or was cancelled',
    },
  ]),
  operationOf('conversation', 'getMany', [
    {
      name: 'Get Many',
      value: 'getMany',
      action: 'Get many conversations',
      description: 'List conversations, latest first',
    },
    {
      name: 'Read',
      value: 'read',
      action: 'Read a conversation',
      description: 'List sent and received messages of one number, newest first',
    },
  ]),
  operationOf('received', 'getMany', [
    { name: 'Get', value: 'get', action: 'Get a received message' },
    { name: 'Get Many', value: 'getMany', action: 'Get many received messages', description: 'Newest first' },
  ]),
  {
    displayName: 'To',
    name: 'to',
    type: 'string',
    default: '',
    required: true,
    placeholder: '+447400123456',
    description: 'Phone numbers, separated by commas',
    displayOptions: forMessage('send'),
  },
  {
    displayName: 'Text',
    name: 'text',
    type: 'string',
    typeOptions: { rows: 3 },
    default: '',
    required: true,
    displayOptions: forMessage('send'),
  },
  {
    displayName: 'Message ID',
    name: 'messageId',
    type: 'string',
    default: '={{ $json.id }}',
    required: true,
    displayOptions: forMessage('get', 'wait', 'cancel'),
  },
  {
    displayName: 'Message ID',
    name: 'messageId',
    type: 'string',
    default: '={{ $json.messageId }}',
    required: true,
    displayOptions: { show: { resource: ['received'], operation: ['get'] } },
  },
  {
    displayName: 'Number',
    name: 'number',
    type: 'string',
    default: '',
    required: true,
    placeholder: '+447400123456',
    displayOptions: { show: { resource: ['conversation'], operation: ['read'] } },
  },
  ...lists.map(
    (show): NodeProperty => ({
      displayName: 'Limit',
      name: 'limit',
      type: 'number',
      typeOptions: { minValue: 1 },
      default: 50,
      description: 'Max number of results to return',
      displayOptions: { show },
    }),
  ),
  {
    displayName: 'Time Limit',
    name: 'timeoutSeconds',
    type: 'number',
    typeOptions: { minValue: 1 },
    default: 300,
    description: 'Seconds after which the node fails. The message is not cancelled',
    displayOptions: forMessage('wait'),
  },
  {
    displayName: 'Options',
    name: 'options',
    type: 'collection',
    default: {},
    placeholder: 'Add option',
    displayOptions: forMessage('send'),
    options: [
      {
        displayName: 'Delivery Report',
        name: 'withDeliveryReport',
        type: 'boolean',
        default: true,
        description: 'Whether the network reports the delivery',
      },
      {
        displayName: 'Device ID',
        name: 'deviceId',
        type: 'string',
        default: '',
        description: 'Default: chosen by the gateway',
      },
      {
        displayName: 'Idempotency Key',
        name: 'idempotencyKey',
        type: 'string',
        default: '',
        description:
          'Messages with the same key are sent once. By default the key is computed from the execution ID, the node, the item and the text, so a retry in the same execution does not send a message twice. If you repeat a whole execution, use an ID from your data as the key',
      },
      {
        displayName: 'Priority',
        name: 'priority',
        type: 'number',
        default: 0,
        description: 'From 100, the message bypasses limits, delays and work hours',
      },
      { displayName: 'Send At', name: 'scheduleAt', type: 'dateTime', default: '' },
      {
        displayName: 'SIM Number',
        name: 'simNumber',
        type: 'number',
        default: 1,
        description: 'Slot of the SIM, counted from 1',
      },
      {
        displayName: 'Valid For',
        name: 'ttl',
        type: 'number',
        default: 3600,
        description: 'Seconds until the message expires',
      },
    ],
  },
]
