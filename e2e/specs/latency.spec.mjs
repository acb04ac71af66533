// The Lab: its runs agree with the closed form; a run can be stopped, a setting can be swept, and results can be saved,
// by mouse and by keyboard.
import { readFile } from 'node:fs/promises';
import { expect, inOnePage, test } from '../fixtures.mjs';
import { violations, violationsInThemes } from '../models/axe.mjs';
import { FATES, holdWorkers, stopEngine } from '../models/failing.mjs';

// Opens the Lab with its first result, once for the tests that leave the result as it is.
async function opened({ watchglass, lab }) {
  if (await lab.figure.isVisible()) return;
  await watchglass.open('?theme=light');
  await lab.open();
}

inOnePage('with etcd\'s timer alone, a list waits 125 ms on average; with today\'s progress requests, it waits less', async ({ watchglass, lab }) => {
  await opened({ watchglass, lab });
  await expect(lab.figure.getByRole('heading', { level: 2 })).toHaveText(/^The average wait is 12[3-7]\.\d ms/);
  const [a, b] = await lab.row('mean wait, ms');
  expect(a).toBeGreaterThan(121);
  expect(a).toBeLessThan(129);
  expect(b).toBeGreaterThan(35);
  expect(b).toBeLessThan(39);
  const closed = await lab.row('theory');
  expect(closed[0]).toBe(125);
  expect(Math.abs(closed[1] - b)).toBeLessThan(1.2);
  // The line of a mean stays behind the note about a high bar.
  const note = lab.picture('waits').locator('.lab-note', { hasText: /lists$/ });
  expect(await note.evaluate((text) => getComputedStyle(text).paintOrder)).toMatch(/^stroke/);
  // The accessible name of the picture has the same content.
  await expect(lab.picture('waits').getByRole('img')).toHaveAccessibleName(/A, Timer only: mean 12\d\.\d ms.*B, Today: mean 3\d\.\d ms/);
});

test('the keyboard changes settings, and an outdated result is marked', async ({ page, watchglass, lab }) => {
  await watchglass.open();
  await page.keyboard.press('8');
  await lab.done();
  const lists = lab.figure.getByRole('slider', { name: 'Consistent lists' });
  await expect(lists).toHaveAttribute('aria-valuetext', '10 /s');
  await lists.focus();
  await page.keyboard.press('ArrowLeft');
  await expect(lists).toHaveAttribute('aria-valuetext', '5 /s');
  await expect(lab.figure.getByText('Settings changed: press Run.')).toBeVisible();
  await lab.figure.getByRole('combobox', { name: 'How the cache confirms freshness' }).first().selectOption('Draft KEP');
  await lab.figure.getByRole('slider', { name: 'Lists in the run' }).fill('0');
  await lab.run();
  const [draft] = await lab.row('mean wait, ms');
  expect(draft, 'not 125').toBeLessThan(60);
  await lab.figure.getByRole('radio', { name: 'Log bins' }).click();
  await expect(lab.figure.getByRole('radio', { name: 'Log bins' })).toHaveAttribute('aria-checked', 'true');
});

test('a long run shows its progress and can be stopped, while the terminal responds', async ({ page, watchglass, lab }) => {
  await watchglass.open();
  await lab.open();
  await lab.figure.getByRole('slider', { name: 'Lists in the run' }).fill('4');
  await lab.figure.getByRole('button', { name: 'Run', exact: true }).click();
  const status = lab.progress;
  await expect(status).toContainText('of 2,000,000');
  const { output } = await page.evaluate(() => window.watchglass.exec('put /a 1'));
  expect(output).toBe('OK\n');
  await expect(status).toContainText(/left/);
  await status.getByRole('button', { name: 'Cancel' }).click();
  await expect(status).toHaveCount(0);
});

test('a sweep of a setting has a curve and a table, and all results can be saved', async ({ page, watchglass, lab }) => {
  await watchglass.open();
  await lab.open();
  await lab.figure.getByRole('slider', { name: 'Lists in the run' }).fill('0');
  await lab.figure.getByRole('group', { name: 'Sweep' }).getByRole('button', { name: 'Interval' }).click();
  await expect(lab.picture('sweep').getByRole('img')).toHaveAccessibleName(/Mean wait, by interval/);
  await lab.figure.getByText('Results of the sweep as a table').click();
  const cells = lab.figure.getByRole('row', { name: /^250 / }).getByRole('cell');
  await expect(cells.nth(1), 'the closed form').toHaveText('125.0');
  const save = async (name) => {
    const download = page.waitForEvent('download');
    await lab.figure.getByRole('group', { name: 'Save the waits' }).getByRole('button', { name }).click();
    return readFile(await (await download).path());
  };
  const csv = (await save('CSV')).toString();
  expect(csv.split('\n')[1]).toMatch(/^A,"Timer only",250000,/);
  const svg = (await save('SVG')).toString();
  expect(svg).toMatch(/fill="url\(#wg\w+-lab-hatch-h\)"/);
  const png = await save('PNG');
  expect(png.subarray(1, 4).toString()).toBe('PNG');
  expect(png.length).toBeGreaterThan(5_000);
});

inOnePage('one request in detail: the parts add up to the time of the whole request', async ({ watchglass, lab }) => {
  await opened({ watchglass, lab });
  const section = lab.figure.getByRole('region', { name: 'One request in detail' });
  const table = section.getByRole('table', { name: 'The parts of two requests' });
  const slider = section.getByRole('slider', { name: 'Chosen list, from the fastest to the slowest' });
  const columns = async () => {
    const cells = async (name) => {
      const row = await table.getByRole('row', { name }).getByRole('cell').allTextContents();
      return row.map((text) => Math.round(Number(text) * 1_000));
    };
    return { revision: await cells(/^request for etcd/), wait: await cells(/^wait for progress/), whole: await cells(/^whole request/) };
  };
  const addUp = ({ revision, wait, whole }) => {
    for (const at of [0, 1]) expect(revision[at] + wait[at]).toBe(whole[at]);
  };
  await expect(table.getByRole('columnheader')).toHaveText(['Part, ms', 'Median list', 'Slowest list']);
  const median = await columns();
  addUp(median);
  expect(median.revision, 'one round trip').toEqual([1_000, 1_000]);
  expect(median.whole[0]).toBeGreaterThan(115_000);
  expect(median.whole[0]).toBeLessThan(137_000);
  await expect(slider).toHaveAttribute('aria-valuetext', `${(median.whole[0] / 1_000).toFixed(3)} ms`);
  await slider.focus();
  await slider.press('Home');
  await expect(table.getByRole('columnheader').nth(1)).toHaveText('Chosen list');
  const fastest = await columns();
  addUp(fastest);
  expect(fastest.whole[0]).toBeLessThan(10_000);
  await section.getByRole('button', { name: 'Slowest' }).click();
  const slowest = await columns();
  expect(slowest.whole[0]).toBe(slowest.whole[1]);
  // The numbers are those of the run.
  const [longest] = await lab.row('longest, ms');
  expect(Math.abs(slowest.wait[0] / 1_000 - longest)).toBeLessThan(0.06);
  await section.getByRole('radio', { name: 'B', exact: true }).click();
  await section.getByRole('button', { name: 'Median' }).click();
  addUp(await columns());
  await expect(section.getByRole('listitem').last()).toContainText('The cache serves the list.');
  await expect(section.getByRole('img')).toHaveAccessibleName(/^Median list, [\d.]+ ms: request for etcd's revision 1\.000 ms, wait for progress/);
});

test('in the example of the draft, etcd notifies every 250 ms, so the API server, which waits 300 ms, sends no request', async ({ page, watchglass, lab }) => {
  await watchglass.open();
  await lab.open();
  await lab.figure.getByRole('button', { name: 'Example: etcd notifies every 250 ms' }).click();
  const heading = lab.figure.getByRole('heading', { level: 2 });
  await expect(heading).toHaveText(/^etcd notifies every 250 ms, the cache asks after 300 ms of silence: no progress request sent; the average wait is 12\d\.\d ms\.$/, { timeout: 30_000 });
  await expect(lab.figure.getByText(/^In B, etcd notifies every 10 min, the cache asks after 300 ms of silence: [\d,]+ progress requests sent; the average wait is 1[45]\d\.\d ms/)).toBeVisible();
  // The long texts leave the parameters open.
  await expect(lab.figure.getByRole('button', { name: 'Run', exact: true })).toBeVisible();
  const [a, b] = await lab.row('progress requests, /s');
  expect(a).toBe(0);
  expect(Math.abs(b - 3.3)).toBeLessThan(0.11);
  await expect(lab.figure.getByRole('combobox', { name: 'How the cache confirms freshness' }).first()).toHaveValue('Timer and requests');
  // The settings survive a reload.
  await page.reload();
  await watchglass.ready();
  await lab.open();
  await expect(heading).toHaveText(/no progress request sent/, { timeout: 30_000 });
});

inOnePage('a list costs less from the cache than from etcd, and the model names the source of its numbers', async ({ watchglass, lab }) => {
  await opened({ watchglass, lab });
  await lab.figure.getByRole('tab', { name: 'Whole lists' }).click();
  const row = lab.figure.getByRole('row', { name: /^100,000 5 / }).getByRole('cell');
  const times = Number((await row.nth(3).textContent()).replace(',', ''));
  expect(times).toBeGreaterThan(20);
  await expect(lab.picture('cost-latency').getByRole('img')).toBeVisible();
  await lab.figure.getByRole('tab', { name: 'Waits' }).click();
  await expect(lab.picture('waits').getByRole('img')).toBeVisible();
});

inOnePage('no violations', async ({ page, watchglass, lab }) => {
  await opened({ watchglass, lab });
  expect(await violationsInThemes(page), 'waits').toEqual([]);
  await lab.figure.getByRole('tab', { name: 'Whole lists' }).click();
  expect(await violationsInThemes(page), 'whole lists').toEqual([]);
  await lab.figure.getByRole('tab', { name: 'Waits' }).click();
});

inOnePage('no element overflows in any window', async ({ page, watchglass, lab, layout }) => {
  await opened({ watchglass, lab });
  await layout.inEach([[1440, 900], [1280, 720], [390, 844], [800, 450], [320, 640]], async () => {
    await expect.poll(() => page.evaluate(() => {
      const wide = (selector) => {
        const node = document.querySelector(selector);
        return node.scrollWidth - node.clientWidth;
      };
      return { page: document.documentElement.scrollWidth - innerWidth, panel: wide('.lab-scroll'), parts: wide('.lab-parts') };
    })).toEqual({ page: 0, panel: 0, parts: 0 });
  });
});

// --- The Lab's own program -------------------------------------------------------------------

test('the Lab runs in its own worker, which starts when the Lab is opened', async ({ page, watchglass, lab }) => {
  const files = [];
  page.on('request', (request) => files.push(request.url().split('/').at(-1)));
  await watchglass.open();
  expect(page.workers()).toHaveLength(1);
  expect(files).not.toContain('lab_bg.wasm');
  await lab.open();
  expect(page.workers()).toHaveLength(2);
  expect(files).toContain('lab_bg.wasm');
  await lab.figure.getByRole('button', { name: 'Run', exact: true }).click();
  await lab.done();
  expect(page.workers(), 'the worker stays for the next run').toHaveLength(2);
  expect(watchglass.complaints).toEqual([]);
});

test('without a worker, the Lab runs in the page', async ({ page, watchglass, lab }) => {
  await watchglass.open('?app&host=inline');
  await lab.open();
  expect(page.workers()).toHaveLength(0);
  const [a] = await lab.row('mean wait, ms');
  expect(a).toBeGreaterThan(121);
  const { output } = await page.evaluate(() => window.watchglass.exec('put /a 1'));
  expect(output).toBe('OK\n');
  expect(watchglass.complaints).toEqual([]);
});

for (const [file, pattern] of [['glue', '**/lab.js'], ['program', '**/lab_bg.wasm']]) {
  for (const name of ['blocked', 'missing', 'portal', 'truncated']) {
    inOnePage(`the Lab's ${file} is ${name}: the Lab shows a message, and the run still works`, async ({ page, watchglass, views, lab }) => {
      await page.route(pattern, FATES[name]);
      await watchglass.open();
      await views.open('Lab');
      const alert = lab.figure.getByRole('alert');
      await expect(alert).toContainText('The simulator could not be loaded.');
      await expect(alert).toContainText('then try again');
      await expect(alert.locator('pre'), 'the details are hidden until a click').toBeHidden();
      await expect(page.getByRole('alert'), 'the page has no other failure').toHaveCount(1);
      const { output } = await page.evaluate(() => window.watchglass.exec('put /a 1'));
      expect(output).toBe('OK\n');
      await page.unroute(pattern);
      await alert.getByRole('button', { name: 'Try again' }).click();
      await lab.done();
      await expect(alert).toHaveCount(0);
    });
  }
}

test('the Lab restarts after it stopped or was silent, and the engine keeps running', async ({ page, watchglass, lab }) => {
  await holdWorkers(page);
  await watchglass.open();
  await lab.open();
  // The newest worker is the worker of the Lab.
  await stopEngine(page);
  const alert = lab.figure.getByRole('alert');
  await expect(alert).toContainText('The simulator stopped because of a defect.');
  await alert.getByRole('button', { name: 'Try again' }).click();
  await lab.done();
  await page.evaluate(() => window.workers.at(-1).terminate());
  await lab.figure.getByRole('button', { name: 'Run', exact: true }).click();
  await expect(alert).toContainText('The simulator does not respond.', { timeout: 15_000 });
  await alert.getByRole('button', { name: 'Restart the simulator' }).click();
  await lab.done();
  await expect(alert).toHaveCount(0);
  expect(page.workers()).toHaveLength(2);
  expect(await page.evaluate(() => window.workers.length), 'one engine, and three workers of the Lab').toBe(4);
});

test('the page about the accuracy of QoS limits has a table, a progress bar and a download', async ({ page, watchglass, lab }) => {
  await watchglass.open();
  await lab.open();
  await lab.figure.getByRole('tab', { name: 'QoS limits' }).click();
  const table = lab.figure.getByRole('table', { name: 'Accuracy of the limits' });
  await expect(table).toBeVisible({ timeout: 60_000 });
  await expect(lab.figure.getByRole('heading', { level: 2 })).toHaveText('How accurate the limits of etcd QoS are');
  await expect(lab.figure.getByText('32 of 32 mean rates agree with the theory.')).toBeVisible();
  const row = table.getByRole('row', { name: /^tbf 10 per second, burst 1 20\.00 / });
  await expect(row).toHaveText(/20\.00[67]\.\d+/);
  const download = page.waitForEvent('download');
  await lab.figure.getByRole('button', { name: 'CSV' }).click();
  const file = await download;
  expect(file.suggestedFilename()).toBe('qos-accuracy.csv');
  expect((await readFile(await file.path(), 'utf8')).split('\n').length).toBe(38);
  // A long run shows its progress, leaves the terminal usable, and can be cancelled.
  await lab.figure.getByRole('combobox', { name: 'Limit, requests/s' }).selectOption('100');
  await lab.figure.getByRole('combobox', { name: 'Runs' }).selectOption('100');
  await lab.figure.getByRole('button', { name: 'Run', exact: true }).click();
  await expect(lab.progress).toContainText('of 3,600');
  const { output } = await page.evaluate(() => window.watchglass.exec('put /a 1'));
  expect(output).toBe('OK\n');
  await lab.progress.getByRole('button', { name: 'Cancel' }).click();
  await expect(lab.progress).toHaveCount(0);
  expect(await violations(page)).toEqual([]);
});
