import { killOverage } from '../test/support/killed-overage.ts'

/**
 * `node bench/killed-overage.ts [answers] [kills]`: checks that the meter equals what was served, however
 * often the service is killed.
 */
const [answers = '10000', kills = '12'] = process.argv.slice(2)
const { DATABASE_URL: url } = process.env
const result = await killOverage({
  answers: Number(answers),
  kills: Number(kills),
  random: Math.random,
  ...(url === undefined ? {} : { environment: { DATABASE_URL: url } }),
})
console.log(JSON.stringify(result, null, 2))
if (result.metered !== result.counted) process.exitCode = 1
