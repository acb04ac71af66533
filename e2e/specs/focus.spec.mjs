// The focus of a beat: the picture scrolls to the watcher or node that the beat names, marks it, and dims the rest.
import { expect, test } from '../fixtures.mjs';

const opacity = (mark) => mark.evaluate((element) => Number(getComputedStyle(element).opacity));

test('a watcher that a beat names is in sight, and the others are dimmed', async ({ page, watchglass }) => {
  await watchglass.open('?scenario=watch/watches_of_one_client_share_a_stream&at=beat:3');
  await expect(page.locator('[data-has-focus]')).toHaveCount(0);
  await page.getByRole('button', { name: 'Next', exact: true }).click();
  const named = page.locator('.watch-watcher[data-focused]');
  await expect(named).toHaveCount(1);
  await expect(named).toContainText('calm');
  await expect(named).toBeInViewport();
  await expect.poll(() => opacity(named)).toBe(1);
  await expect.poll(() => opacity(page.locator('.watch-watcher:not([data-focused])').first())).toBeLessThan(0.5);
  const axis = page.locator('.watch-ruler [data-order="0"]').first();
  await expect.poll(() => opacity(axis), 'the axis is not dimmed').toBe(1);
});

test('an API server that a beat names is marked in the Cache view, and a member in the Cluster view', async ({ page, watchglass }) => {
  await watchglass.open('?scenario=cluster/the_watch_is_on_a_cut_off_member&at=beat:1');
  const next = page.getByRole('button', { name: 'Next', exact: true });
  await next.click();
  const member = (name) => page.locator(`[data-mark="member:${name}"]`);
  await expect(member('etcd-3')).toHaveAttribute('data-focused', '');
  await expect.poll(() => opacity(member('etcd-1'))).toBeLessThan(0.5);
  await expect.poll(() => opacity(page.locator('.cl-member[data-of="etcd-1"]'))).toBeLessThan(0.5);
  await expect.poll(() => opacity(page.locator('.cl-member[data-of="etcd-3"]'))).toBe(1);
  await next.click();
  await expect(page.locator('[data-mark="bar:api-1"]')).toHaveAttribute('data-focused', '');
  await expect.poll(() => opacity(page.locator('[data-mark="etcd:thread"]'))).toBeLessThan(0.5);
});
