// A Personal Data Server and the directory of identities that it writes to, in memory: node server.mjs PDS_PORT PLC_PORT
// Its packages are those of the folder in which it is run.
import { createRequire } from 'node:module'

const { TestNetworkNoAppView } = createRequire(`${process.cwd()}/`)('@atproto/dev-env')
const [pdsPort, plcPort] = process.argv.slice(2).map(Number)
const network = await TestNetworkNoAppView.create({
  pds: { port: pdsPort, hostname: 'localhost', inviteRequired: false },
  plc: { port: plcPort },
})
console.log(`ready ${network.pds.url} ${network.plc.url}`)
