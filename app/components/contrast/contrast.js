// A prediction before a change and after it, as two bars in one row.

function build(mount) {
  mount.groups = mount.root.querySelector(".gf-groups");
}

function fill(mount) {
  const { header, arrays } = mount, { words } = header, [before, after] = mount.root.querySelectorAll(".gf-contrast-key > span > span");
  before.textContent = words.before;
  after.textContent = words.after;
  const lines = [];
  let at = 0;
  mount.groups.replaceChildren(...header.groups.map((group, g) => {
    const box = make("div", "gf-group"), title = make("div", "gf-title"), note = make("div", "gf-note"), bars = make("div", "gf-shares");
    write(title, group.title, group.about ? { token: { token: group.about } } : {});
    const rows = group.names.map((name) => {
      const values = Array.from(arrays.shares.data.subarray(2 * at, 2 * at + 2));
      at += 1;
      return { name, values };
    });
    if (group.more) rows.push({ name: filled(words.rest, { n: group.more.toLocaleString() }), values: Array.from(arrays.rest.data.subarray(2 * g, 2 * g + 2)), rest: true });
    const limit = drawShares(bars, rows);
    note.textContent = filled(words.scale, { limit: `${Number((100 * limit).toPrecision(2))} %` });
    const best = (side) => rows.filter((row) => !row.rest).reduce((a, b) => (b.values[side] > a.values[side] ? b : a));
    const was = best(0), now = best(1);
    bars.setAttribute("role", "img");
    bars.setAttribute("aria-label", filled(words.bars_label, { title: title.textContent, before: was.name, before_share: percent(was.values[0]), after: now.name, after_share: percent(now.values[1]) }));
    for (const row of rows) lines.push([title.textContent, row.name, row.values[0].toFixed(4), row.values[1].toFixed(4)]);
    box.append(title, note, bars);
    return box;
  }));
  if (!mount.table) mount.table = rowTable(mount.root.querySelector(".gf-details"), words);
  mount.table.update(() => ({ caption: "", heads: [words.place_column, words.token_column, words.before, words.after], lines }));
}

export default function (component) {
  const mount = mounted(component, build);
  const got = received(mount.link, component);
  if (!got) return undefined;
  Object.assign(mount, { header: mount.link.payload.header, arrays: mount.link.payload.arrays });
  look(mount.root);
  if (got.fresh) fill(mount);
  mount.root.__glassformer = mount;
  return ending(mount, () => {});
}
