#!/usr/bin/env node
// The command `smsgw` of a checkout: `npm run smsgw -- …`, or `smsgw …` after `npm link`. Data folders are those of the
// checkout, wherever it is typed.
'use strict'

process.argv.splice(2, 0, 'node', 'apps/gateway/src/smsgw/main.ts')
require('./bootstrap.cjs')
