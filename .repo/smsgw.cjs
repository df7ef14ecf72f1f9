#!/usr/bin/env node
// The command `smsgw` of a checkout: `npm run smsgw -- …`, or `smsgw …` after `npm link`. It uses the
// data folders of the checkout, whatever the working directory is.
'use strict'

process.argv.splice(2, 0, 'node', 'apps/gateway/src/smsgw/main.ts')
require('./bootstrap.cjs')
