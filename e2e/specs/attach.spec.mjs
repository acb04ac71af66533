// A page that is attached to a running etcd: the copy follows each change, waits while a person looks elsewhere, and says what
// is wrong when etcd cannot be read.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { expect, test } from '../fixtures.mjs';
import { violations } from '../models/axe.mjs';
import { Attach } from '../models/attach.mjs';
import { Etcd, HAS_ETCD, freePort } from '../models/etcd.mjs';
import { stored } from '../models/stored.mjs';

test.describe('a real etcd', () => {
  test.skip(!HAS_ETCD, 'there is no etcd on PATH');

  let etcd;
  test.beforeEach(async () => {
    etcd = await new Etcd().start();
  });
  test.afterEach(() => etcd.stop());

  test('the copy has the history of the database, and makes the same changes', async ({ page }) => {
    await etcd.ctl('put', '/a', '1');
    await etcd.ctl('put', '/a', '2');
    await etcd.ctl('put', '/b', 'x');
    await etcd.ctl('compact', '2');
    const attach = new Attach(page);
    await attach.open();
    expect(await violations(page)).toEqual([]);
    await attach.attach(etcd.address);
    await expect(attach.state).toHaveText('Live');
    await expect(attach.number('copy')).toHaveText('revision 4');
    expect(await attach.exec('get /a --rev 2')).toBe('/a\n1\n');
    expect(await attach.exec('get /a --rev 1')).toContain('compacted');

    const lease = /lease (\w+)/.exec(await etcd.ctl('lease', 'grant', '500'))[1];
    await etcd.ctl('put', '/l', 'v', `--lease=${lease}`);
    // The page asks for the time of a lease when a put names it.
    await expect(attach.number('copy')).toHaveText('revision 5');
    await etcd.ask('kv/put', { key: Buffer.from([0, 39, 255]).toString('base64'), value: Buffer.from("\ufeffit's\n\\").toString('base64') });
    await etcd.ask('kv/txn', {
      success: [
        { request_put: { key: 'L2E=', value: 'Mw==' } },
        { request_put: { key: 'L2M=', value: '' } },
        { request_delete_range: { key: 'L2I=' } },
      ],
    });
    await etcd.ctl('lease', 'revoke', lease);
    await expect(attach.number('copy')).toHaveText('revision 8');
    expect(await attach.exec('get /a -w json')).toContain('"mod_revision":7,"version":3');
    expect(await attach.exec('get /l --rev 6 -w json')).toContain('"lease"');
    expect(await attach.exec('get /l')).toBe('');
    await attach.button('Show hash').click();
    const hash = (await etcd.ctl('endpoint', 'hashkv')).split(', ')[1].trim();
    await expect(attach.alert).toContainText(`The HashKV of the copy at revision 8 is ${hash}.`);

    expect(await stored(page)).not.toContain('mirror');

    await etcd.ctl('compact', '7');
    await expect.poll(() => attach.exec('get /a --rev 6')).toContain('compacted');
    expect(await violations(page)).toEqual([]);
  });

  test('ten thousand changes at full speed arrive in order', async ({ page }) => {
    const attach = new Attach(page);
    await attach.open();
    await attach.attach(etcd.address);
    await expect(attach.state).toHaveText('Live');
    for (let first = 0; first < 10_000; first += 100) {
      await Promise.all(Array.from({ length: 100 }, (_, n) => etcd.put(`/k${n}`, `${first + n}`)));
    }
    await expect(attach.number('copy')).toHaveText('revision 10,001', { timeout: 50_000 });
    await attach.button('Show hash').click();
    await expect(attach.alert).toContainText(`is ${(await etcd.ctl('endpoint', 'hashkv')).split(', ')[1].trim()}.`);
  });

  test('the copy waits while a person looks elsewhere', async ({ page }) => {
    await etcd.put('/a', '1');
    const attach = new Attach(page);
    await attach.open();
    await attach.attach(etcd.address);
    await expect(attach.state).toHaveText('Live');
    await etcd.put('/a', '2');
    await expect(attach.number('copy')).toHaveText('revision 3');

    await attach.seek({ step: 0 });
    await expect(attach.state).toHaveText(/You are looking at the past/);
    await etcd.put('/a', '3');
    await expect(attach.state).toHaveText(/1 change waits/);
    await attach.button('Follow').click();
    await expect(attach.number('copy')).toHaveText('revision 4');

    // A write of a person goes to a branch.
    await attach.exec('put /a mine');
    await expect(attach.state).toHaveText(/You are on a branch of your own/);
    await etcd.put('/a', '4');
    expect(await attach.exec('get /a')).toBe('/a\nmine\n');
    await attach.button('Follow').click();
    await expect(attach.number('copy')).toHaveText('revision 5');
    expect(await attach.exec('get /a')).toBe('/a\n4\n');

    // A watch of a person does not leave the copy.
    await attach.exec('watch /a as w1');
    await expect(attach.state).toHaveText('Live');
    await attach.button('Pause').click();
    await expect(attach.state).toHaveText('Paused');
    await etcd.put('/a', '5');
    await attach.button('Follow').click();
    await expect(attach.number('copy')).toHaveText('revision 6');
    expect(await attach.exec('recv w1')).toContain('5');
    expect(await etcd.ctl('get', '/a')).toBe('/a\n5\n');
  });

  test('a command runs in etcd and in the copy', async ({ page }) => {
    await etcd.put('/a', '1');
    const attach = new Attach(page);
    await attach.open();
    await attach.attach(etcd.address);
    await expect(attach.state).toHaveText('Live');

    await attach.button('Write to etcd…').click();
    await expect(page.getByRole('dialog')).toContainText(etcd.address);
    await page.keyboard.press('Escape');
    await expect(page.getByRole('log')).toBeHidden();
    await attach.write();
    expect(await violations(page)).toEqual([]);

    const same = async (line) => {
      const row = await attach.both(line);
      await expect(row, line).toContainText('Same response');
      return row.innerText();
    };
    await same('put /a 2 --prev-kv');
    await same('etcdctl get /a -w fields');
    await same(`txn <<E\nmod("/a") > "0"\n\nput /b "it's"\n\nput /none x\n\nE`);
    const lease = /lease (\w{16})/.exec(await same('lease grant 500'))[1];
    await same(`put /l v --lease=${lease}`);
    await same('get /l -w json');
    await same(`lease revoke ${lease}`);
    expect(await same('get /a --rev=99')).toContain('future revision');
    await same('compaction 3');
    await same('get / --prefix');
    expect(await etcd.ctl('get', '/', '--prefix')).toBe("/a\n2\n/b\nit's\n");
    await expect(attach.state).toContainText('You write to etcd and to the copy');

    // The terminal of the frame changes the copy alone.
    await attach.exec('put /mine 1');
    expect(await etcd.ctl('get', '/mine')).toBe('');
    const different = await attach.both('get /a');
    await expect(different).toContainText(/First difference: revision is \d+ in etcd and \d+ in the copy/);
    expect(await violations(page)).toEqual([]);
    await page.getByLabel('etcdctl', { exact: true }).press('ArrowUp');
    await expect(page.getByLabel('etcdctl', { exact: true })).toHaveValue('get /a');

    // Follow copies what etcd has, and both are equal again.
    await attach.button('Follow').click();
    await expect(attach.state).toHaveText('Live');
    await etcd.put('/c', '1');
    await expect(attach.number('behind')).toHaveText('0');
    await same('put /c 2');
    await etcd.put('/c', 'of another client');
    await expect(await attach.both('put /c 3')).toContainText('Other clients write to etcd, too');

    const downloading = page.waitForEvent('download');
    await attach.button('Save transcript').click();
    const transcript = await readFile(await (await downloading).path(), 'utf8');
    expect(transcript).toContain('$ etcdctl put /a 2 --prev-kv\nOK\n/a\n1\n$ etcdctl get /a -w fields\n');

    // What cannot run in both runs in neither.
    await page.getByLabel('etcdctl', { exact: true }).fill('endpoint status');
    await page.keyboard.press('Enter');
    await expect(attach.alert).toContainText('has no request for this command');
    await expect(page.getByLabel('etcdctl', { exact: true })).toHaveValue('endpoint status');
    await attach.button('Stop writing').click();
    await expect(page.getByRole('log')).toBeHidden();
  });

  test('after a crash and a restart of etcd, the copy receives further changes', async ({ page }) => {
    const attach = new Attach(page);
    await attach.open();
    await attach.attach(etcd.address);
    await expect(attach.state).toHaveText('Live');
    await etcd.kill();
    await expect(attach.state).toHaveText('Trying again…');
    await expect(attach.alert).toContainText('endpoint health');
    await etcd.start();
    await etcd.put('/a', '1');
    await expect(attach.number('copy')).toHaveText('revision 2', { timeout: 20_000 });
    await expect(attach.alert).toBeHidden();
  });

  test('a compaction that overtakes the copy is named', async ({ page }) => {
    const attach = new Attach(page);
    await attach.open();
    await attach.attach(etcd.address);
    await expect(attach.state).toHaveText('Live');
    const all = `http://${etcd.address}/**`;
    await page.route(all, (route) => route.abort());
    await etcd.kill();
    await expect(attach.state).toHaveText('Trying again…');
    await etcd.start();
    for (const value of ['1', '2', '3']) await etcd.put('/a', value);
    await etcd.ctl('compact', '4');
    await page.unroute(all);
    await expect(attach.state).toHaveText('Detached', { timeout: 20_000 });
    await expect(attach.alert).toContainText('compacted its history up to revision 4, and the copy has not read revision 2');
    await expect(attach.button('Attach again')).toBeVisible();
  });

  test('an etcd with users asks for one', async ({ page }) => {
    await etcd.kill();
    await etcd.start('--auth-token-ttl=1');
    await etcd.ctl('user', 'add', 'root:secret');
    await etcd.ctl('auth', 'enable');
    const attach = new Attach(page);
    await attach.open();
    await attach.attach(etcd.address);
    await expect(attach.alert).toContainText('Attach with a user and a password');
    await page.getByText('User and password', { exact: true }).click();
    await page.getByLabel('User', { exact: true }).fill('root');
    await page.getByLabel('Password').fill('wrong');
    await attach.go.click();
    await expect(attach.alert).toContainText('authentication failed');
    await page.getByLabel('Password').fill('secret');
    await attach.go.click();
    await expect(attach.state).toHaveText('Live');
    // The page logs in again when its token expires.
    const range = (response) => response.url().endsWith('/v3/kv/range');
    await page.waitForResponse((response) => range(response) && response.status() === 401);
    await page.waitForResponse((response) => range(response) && response.ok());
    await attach.button('Write to etcd…').click();
    await expect(attach.alert).toContainText('This etcd has users');
  });

  test('a user who may read a prefix attaches to its keys', async ({ page }) => {
    await etcd.ctl('put', '/team/gone', '0');
    for (let n = 0; n < 600; n += 1) await etcd.put(`/team/${n}`, `é ${n}`);
    await etcd.ctl('put', '/other', '1');
    await etcd.ctl('compact', '600');
    await etcd.ctl('del', '/team/gone');
    await etcd.ctl('put', '/team/5', 'new');
    for (const words of ['user add root:secret', 'user add ann:pw', 'role add team', 'role grant-permission team read /team/ --prefix',
      'user grant-role ann team', 'auth enable']) await etcd.ctl(...words.split(' '));
    const root = (...words) => etcd.ctl('--user=root:secret', ...words);
    const attach = new Attach(page);
    await attach.open();
    await page.getByText('User and password', { exact: true }).click();
    await page.getByLabel('User', { exact: true }).fill('ann');
    await page.getByLabel('Password').fill('pw');
    await attach.attach(etcd.address);
    await expect(attach.alert).toContainText('Write a prefix that your user may read. The whole database needs the role root.');
    await attach.attach(etcd.address, '/team/');
    await expect(attach.state).toHaveText('Live');
    // The history since the compaction, and the revision of the last change below the prefix.
    await expect(attach.number('copy')).toHaveText('revision 605');
    expect(await attach.exec('get /team/gone --rev 603')).toBe('/team/gone\n0\n');
    expect(await attach.exec('get /team/gone --rev 599')).toContain('compacted');
    const fields = 'get /team/ --prefix -w json';
    const kvs = async () => JSON.parse(await attach.exec(fields)).kvs;
    const same = async () => expect(await kvs()).toEqual(JSON.parse(await root(...fields.split(' '))).kvs);
    await same();
    await root('put', '/other', '2');
    await root('put', '/other', '3');
    await root('put', '/team/new', "it's");
    await expect(attach.number('copy')).toHaveText('revision 608');
    await same();
    await expect(attach.button('Show hash')).toBeHidden();
    await expect(page).toHaveTitle(/^\/team\/ · /);
    await expect(page).toHaveURL(/&prefix=%2Fteam%2F$/);
    expect(await violations(page)).toEqual([]);
  });

  test('keys are read again when etcd compacts its history between two pages of them', async ({ page }) => {
    for (let n = 0; n < 501; n += 1) await etcd.put(`/team/${n}`, '1');
    await etcd.ctl('compact', '502');
    await etcd.ctl('put', '/team/0', '2');
    const attach = new Attach(page);
    await attach.open();
    let pages = 0;
    await page.route('**/v3/kv/range', async (route) => {
      const isPage = Boolean(route.request().postDataJSON().limit);
      pages += isPage ? 1 : 0;
      if (isPage && pages === 2) await etcd.ctl('compact', '503');
      await route.continue();
    });
    await attach.attach(etcd.address, '/team/');
    await expect(attach.state).toHaveText('Live');
    expect(pages).toBe(4);
    expect(await attach.exec('get /team/0 --print-value-only')).toBe('2\n');
    expect(await attach.exec('get /team/0 --rev 502')).toContain('compacted');
  });

  test('an etcd that allows other pages is named', async ({ page }) => {
    await etcd.kill();
    await etcd.start('--cors=http://elsewhere:80');
    const attach = new Attach(page);
    await attach.open();
    await attach.attach(etcd.address);
    await expect(attach.alert).toContainText('does not allow this page to read the response');
    await expect(attach.alert).toContainText(`etcd --cors='${new URL(page.url()).origin}'`);
  });
});

test.describe('a cluster', () => {
  test.skip(!HAS_ETCD, 'there is no etcd on PATH');

  let cluster;
  test.beforeEach(async () => {
    cluster = await Etcd.cluster(3);
  });
  test.afterEach(() => Promise.all(cluster.map((member) => member.stop())));

  test('the members show who lags and who does not respond', async ({ page }) => {
    await cluster[0].put('/a', '1');
    const attach = new Attach(page);
    await attach.open();
    await attach.attach(cluster[0].address);
    await expect(attach.state).toHaveText('Live');
    await attach.button('Members').click();
    const rows = page.getByRole('region', { name: 'Members' }).getByRole('row');
    await expect(rows).toHaveCount(4);
    await expect(rows.filter({ hasText: 'leader' })).toHaveCount(1);
    for (const n of [0, 1, 2]) await expect(rows.filter({ hasText: `m${n}` })).toContainText(cluster[n].address);
    await expect(rows.filter({ has: page.getByRole('cell', { name: '2', exact: true }) })).toHaveCount(3);
    expect(await violations(page)).toEqual([]);
    await cluster[1].kill();
    await expect(rows.filter({ hasText: 'm1' })).toContainText('does not respond');
    await attach.button('Members').click();
    await expect(rows).toHaveCount(0);
  });
});

test('what is no etcd is named', async ({ page }) => {
  const attach = new Attach(page);
  await attach.open('#10.0.0.1:2379');
  await expect(page.getByLabel('Address of a member')).toHaveValue('10.0.0.1:2379');
  for (const [address, text] of [
    ['not an address', '“not an address” is not an address.'],
    ['127.0.0.1:1,127.0.0.1:2', 'attaches to one member'],
    ['http://127.0.0.1:1/v3', 'Leave out the path'],
    [`127.0.0.1:${await freePort()}`, 'does not respond'],
  ]) {
    await attach.attach(address);
    await expect(attach.alert, address).toContainText(text);
  }
  let range = null;
  const server = createServer(({ url }, response) => {
    const isKnown = range && url === '/v3/kv/range';
    response.writeHead(isKnown ? 200 : 404, { 'Access-Control-Allow-Origin': '*' }).end(isKnown ? range : '<h1>no</h1>');
  });
  await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  await attach.attach(`127.0.0.1:${server.address().port}`);
  await expect(attach.alert).toContainText('has no /v3/kv/range');
  range = '{"header":{"cluster_id":"1","revision":"1"}}';
  await attach.attach(`127.0.0.1:${server.address().port}`);
  await expect(attach.alert).toContainText('has no /version');
  server.close();
});
