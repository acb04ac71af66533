// In the build with the pseudo-language, all letters of the texts below `words/en` have accents. A sentence with plain
// letters bypasses these modules. `cargo xtask pseudo` builds this page and runs these tests.
import { expect, test } from '../fixtures.mjs';
import { plainTexts, textsOf } from '../models/pseudo.mjs';
import { sample } from '../models/snapshot.mjs';

const CACHES = 'cache/two_api_servers_and_a_client_that_goes_back_in_time';

// Commands that change a node, a link or a setting, and lines with notes. The page narrates the newest step.
const COMMANDS = [
  'set watch-channel 4', 'set watch-resync 200ms', 'watch /a --prefix as w1', 'slow w1 20ms',
  'slow w1 0ms', 'pause w1', 'resume w1', 'net w1 delay 5ms', 'net w1 up delay uniform 1ms 9ms', 'net w1 down delay longtail 2ms',
  'net w1 bandwidth 1MB', 'net w1 loss 1/10', 'net w1 up dup 1/10', 'net w1 dup 0', 'net w1 hold', 'net w1 release',
  'clock etcd offset -200ms drift 50 ppm', 'cost fsync=1ms', 'cost free', 'put /a b', 'snapshot save a.db',
  'snapshot save b.db --open', 'snapshot close b.db', 'fault partition w1 | etcd', 'heal', 'fault disk-full etcd', 'heal',
  'crash etcd', 'snapshot restore a.db', 'start etcd', 'disconnect w1', 'connect w1', 'stop w1', 'apiserver api-1',
  'apiserver api-2', 'informer pods as i1', 'move i1 api-2', 'stop api-2', 'start api-2', 'load l1 /b/ --puts=5', 'run 1s',
  'set experimental-enable-qos 1', 'qos class add slow --qdisc-kind discard',
  'qos rule add r1 --class slow --priority 9 --ops Put', 'qos rule del r1', 'qos class del slow', 'get /a --consistency=s',
  'get /a | jq .', '--cacert=ca.pem get /a', 'export A=1 ETCDCTL_KEY=k', 'unset A', 'docker exec -it etcd sh',
];

// For each view: its key, a run that shows it, and the step to show.
const VIEWS = [
  ['Index', '1', 'at-a-glance'],
  ['Watch', '2', 'slow-client'],
  ['Cache', '3', CACHES],
  ['Messages', '4', 'slow-client'],
  ['Storage', '5', 'at-a-glance'],
  ['Cluster', '6', 'cluster/the_leader_is_cut_off'],
  ['QoS', '7', 'qos/events_above_a_number_are_refused'],
  ['Lab', '8', 'empty'],
];

// The runs with steps, each once.
const RUNS = new Set(VIEWS.map(([, , run]) => run).filter((run) => run !== 'empty'));

test.describe.configure({ mode: 'parallel' });
test.use({ reducedMotion: 'reduce' });

for (const [view, key, scenario] of VIEWS) {
  test(`${view}: every sentence comes from a module of texts`, async ({ page, watchglass }) => {
    await watchglass.open('?scenario=empty');
    await page.keyboard.press(key);
    expect.soft(await plainTexts(page), 'empty').toEqual([]);
    await watchglass.open(`?scenario=${scenario}`);
    await page.evaluate(() => window.watchglass.seek({ step: 1_000_000 }));
    await page.keyboard.press(key);
    await page.keyboard.press('i');
    await page.evaluate(() => document.querySelectorAll('details').forEach((part) => { part.open = true; }));
    expect.soft(await plainTexts(page, textsOf(scenario)), 'busy').toEqual([]);
  });
}

test('notes and sentences about steps: every sentence comes from a module of texts', async ({ page, watchglass }) => {
  await watchglass.open('?scenario=empty');
  for (const command of COMMANDS) {
    const { exit, error } = await page.evaluate((line) => window.watchglass.exec(line), command);
    expect.soft(exit, `${command}: ${error}`).toBe(0);
    expect.soft(await plainTexts(page, COMMANDS), command).toEqual([]);
  }
});

for (const scenario of RUNS) {
  test(`the steps of ${scenario}: every sentence comes from a module of texts`, async ({ page, watchglass }) => {
    test.slow();
    await watchglass.open(`?scenario=${scenario}`);
    for (const step of await page.evaluate(stepsWithNewSentences)) {
      await page.evaluate((to) => window.watchglass.seek({ step: to }), step);
      expect.soft(await plainTexts(page, textsOf(scenario)), `step ${step}`).toEqual([]);
    }
  });
}

// Returns the first step of each sentence that differs from all other sentences in more than numbers.
async function stepsWithNewSentences() {
  await window.watchglass.seek({ step: 1_000_000 });
  const { step: last } = await window.watchglass.state();
  const steps = new Map();
  for (let step = last; step >= 0; step--) {
    await window.watchglass.seek({ step });
    steps.set(document.querySelector('.wg-narration').textContent.replace(/\d+/g, ''), step);
  }
  return [...steps.values()];
}

test('a plain text is found, alone and inside a translated text', async ({ page, watchglass }) => {
  await watchglass.open('?scenario=empty');
  await page.evaluate(() => document.body.insertAdjacentHTML('beforeend', '<p title="ťĥé key is ńéẃ">Two words</p><code>two words</code>'));
  expect(await plainTexts(page)).toEqual(['p: Two words', 'p: key is']);
});

test('a lesson: every sentence comes from a module of texts', async ({ page, watchglass }) => {
  await watchglass.open('?lesson=L01');
  expect.soft(await plainTexts(page, textsOf('L01'))).toEqual([]);
});

for (const key of ['?', 'Control+k']) {
  test(`the dialog that ${key} opens: every sentence comes from a module of texts`, async ({ page, watchglass }) => {
    await watchglass.open('?scenario=empty');
    await page.keyboard.press(key);
    await expect(page.locator('dialog[open]')).toBeVisible();
    expect.soft(await plainTexts(page)).toEqual([]);
  });
}

test('the list of lessons: every sentence comes from a module of texts', async ({ page, watchglass }) => {
  await watchglass.open('?scenario=empty');
  await page.locator('.wg-lessons').click();
  await expect(page.locator('dialog[open] .lesson-cards')).toBeVisible();
  expect.soft(await plainTexts(page)).toEqual([]);
});

test('a database file: every sentence comes from a module of texts', async ({ page, watchglass, snapshot }) => {
  await watchglass.open('?scenario=empty');
  await page.keyboard.press('Control+k');
  await page.locator('.wg-palette-field').fill('śńáṕśĥóť');
  await page.locator('.wg-choice').first().click();
  await snapshot.choose('registry.db', sample());
  await expect(snapshot.dialog.locator('dl')).toBeVisible();
  expect.soft(await plainTexts(page)).toEqual([]);
});

test('a figure: every sentence comes from a module of texts', async ({ page, baseURL }) => {
  await page.goto(`${baseURL}embed.html?scenario=slow-client&at=step:14&view=watch`);
  await expect(page.locator('.wg-view')).toBeVisible();
  expect.soft(await plainTexts(page, textsOf('slow-client'))).toEqual([]);
});
