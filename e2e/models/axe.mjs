// The violations that axe finds on a page, as text.
import { AxeBuilder } from '@axe-core/playwright';

export async function violations(page) {
  const { violations: found } = await new AxeBuilder({ page }).analyze();
  return found.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => (
    `${id}: ${target.join(' ')}: ${failureSummary.split('\n')[1]?.trim()}`
  )));
}
