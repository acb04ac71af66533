// A hundred random actions per start: whatever the monkey clicks, types, drags and presses, the page reports no
// errors, no engine fails, and the next request gets a response. With WG_LONG=1, the test prints the tasks that took
// more than 50 ms of processor time of a page's thread; WG_ACTS, WG_SEED and WG_STARTS set the number of actions, the
// seed and the number of starts.
import { expect, test } from '../fixtures.mjs';
import { Monkey } from '../models/monkey.mjs';
import * as tracing from '../models/tracing.mjs';

const ACTS = Number(process.env.WG_ACTS ?? 100);
const FIRST_SEED = Number(process.env.WG_SEED ?? 1);
const STARTS = Number(process.env.WG_STARTS ?? 1);
const ANSWER_MS = 20_000;

for (let seed = FIRST_SEED; seed < FIRST_SEED + STARTS; seed += 1) {
  test(`seed ${seed}: ${ACTS} random actions leave the page responsive`, async ({ page, watchglass }) => {
    test.setTimeout(ACTS * 2_000);
    page.on('dialog', (dialog) => dialog.dismiss());
    const monkey = new Monkey(page, seed);
    await watchglass.open('?scenario=empty');
    const done = [];
    const failed = page.getByRole('alert').filter({ hasText: /The simulator (stopped|does not respond|could not)/ });
    if (process.env.WG_LONG) await tracing.start(page);
    while (monkey.acts < ACTS) {
      done.push(await monkey.act());
      if (monkey.acts % 25 === 0 || monkey.acts === ACTS) {
        const last = done.slice(-25).join('\n');
        expect(await monkey.isAlive(ANSWER_MS), last).toBe(true);
        expect(await failed.count(), last).toBe(0);
        expect(watchglass.complaints, last).toEqual([]);
        if (process.env.WG_LONG) {
          for (const task of await tracing.longTasks(page)) console.log(`seed ${seed}, act ${monkey.acts}: ${task}`);
          if (monkey.acts < ACTS) await tracing.start(page);
        }
      }
    }
  });
}
