// A mask to draw in: a row for each token that reads, a column for each that is read. Filled: allowed; hatched: hidden.

function build(mount) {
  const $ = (name) => mount.root.querySelector(name);
  Object.assign(mount, { cells: $(".gf-cells"), readout: $(".gf-readout"), at: { q: 0, k: 0 }, brush: null, hover: null });
  const cellAt = (event) => {
    const cell = event.target.closest && event.target.closest(".gf-cell");
    return cell ? { q: Number(cell.dataset.q), k: Number(cell.dataset.k) } : null;
  };
  mount.cells.addEventListener("pointerdown", (event) => {
    const cell = cellAt(event);
    if (!cell || event.button !== 0) return;
    event.target.releasePointerCapture(event.pointerId); // a finger draws over the cells it meets
    mount.brush = 1 - mount.now[cell.q * mount.n + cell.k];
    put(mount, cell, mount.brush);
  });
  mount.cells.addEventListener("pointerover", (event) => {
    const cell = cellAt(event);
    mount.hover = cell;
    if (cell && mount.brush !== null && event.buttons & 1) put(mount, cell, mount.brush);
    describe(mount);
  });
  mount.cells.addEventListener("pointerleave", () => { mount.hover = null; describe(mount); });
  mount.lift = () => { mount.brush = null; };
  window.addEventListener("pointerup", mount.lift);
  window.addEventListener("pointercancel", mount.lift);
  mount.cells.addEventListener("click", (event) => {
    const top = event.target.closest(".gf-top"), side = event.target.closest(".gf-side");
    if (top) column(mount, Number(top.dataset.k));
    if (side) row(mount, Number(side.dataset.q));
  });
  mount.cells.addEventListener("focusin", (event) => { const cell = cellAt(event); if (cell) { mount.at = cell; mount.hover = cell; describe(mount); } });
  mount.cells.addEventListener("keydown", (event) => {
    if (!cellAt(event)) return;
    const { q, k } = mount.at, last = mount.n - 1;
    const to = { ArrowUp: [q - 1, k], ArrowDown: [q + 1, k], ArrowLeft: [q, k - 1], ArrowRight: [q, k + 1], Home: [q, 0], End: [q, last] }[event.key];
    if (to) focus(mount, { q: Math.min(last, Math.max(0, to[0])), k: Math.min(last, Math.max(0, to[1])) });
    else if (event.key === " " || event.key === "Enter") put(mount, mount.at, 1 - mount.now[q * mount.n + k]);
    else return;
    event.preventDefault();
  });
}

function focus(mount, cell) {
  mount.boxes[mount.at.q * mount.n + mount.at.k].tabIndex = -1;
  const box = mount.boxes[cell.q * mount.n + cell.k];
  box.tabIndex = 0;
  box.focus();
}

function change(mount, mask) {
  if (mask === mount.link.view.mask) return;
  moved(mount.link, { mask });
  paint(mount);
}

function put(mount, { q, k }, value) {
  if (mount.now[q * mount.n + k] === value) return;
  const cells = mount.now.slice();
  cells[q * mount.n + k] = value;
  change(mount, drawn(cells, mount.n));
}

// a token hidden from everybody: padding stays padding, any other mask is drawn by hand from here on
function column(mount, k) {
  const { n, now } = mount, { mask } = mount.link.view;
  if (isPadding(mask)) {
    change(mount, withKey(mask, k));
    return;
  }
  const cells = now.slice(), any = cells.some((cell, at) => at % n === k && cell);
  for (let q = 0; q < n; q += 1) cells[q * n + k] = any ? 0 : 1;
  change(mount, drawn(cells, n));
}

function row(mount, q) {
  const cells = mount.now.slice(), any = cells.subarray(q * mount.n, (q + 1) * mount.n).some((cell) => cell);
  cells.fill(any ? 0 : 1, q * mount.n, (q + 1) * mount.n);
  change(mount, drawn(cells, mount.n));
}

function label(className, token, title) {
  const button = make("button", className, token.text);
  button.type = "button";
  button.title = title;
  button.setAttribute("aria-label", title);
  return button;
}

function fill(mount) {
  const { tokens, words, width } = mount.header, { cells } = mount, n = tokens.length;
  mount.n = n;
  mount.at = { q: 0, k: 0 };
  mount.root.querySelector(".gf-grid-title").textContent = words.title;
  mount.root.querySelector(".gf-grid-hint").textContent = words.hint;
  const wide = Math.max(11, Math.min(38, Math.floor((width - 104) / n), Math.floor(312 / n) + 2)), tall = Math.max(15, wide);
  for (const [name, size] of [["--wide", wide], ["--tall", tall], ["--letter", Math.min(15, wide + 1)]]) mount.root.style.setProperty(name, `${size}px`);
  cells.style.gridTemplateColumns = `auto repeat(${n}, var(--wide))`;
  cells.style.gridTemplateRows = `auto repeat(${n}, var(--tall))`;
  const top = make("div"), corner = make("div", "gf-corner");
  top.setAttribute("role", "row");
  corner.append(make("span", "", words.key_axis), make("span", "", words.query_axis));
  mount.tops = tokens.map((token, k) => label("gf-top", token, filled(words.column, { key: token.text })));
  mount.tops.forEach((button, k) => { button.dataset.k = k; });
  top.append(corner, ...mount.tops);
  mount.boxes = [];
  mount.sides = tokens.map((token, q) => label("gf-side", token, filled(words.row, { query: token.text })));
  const rows = tokens.map((query, q) => {
    const line = make("div");
    line.setAttribute("role", "row");
    mount.sides[q].dataset.q = q;
    line.append(mount.sides[q], ...tokens.map((key, k) => {
      const box = make("div", "gf-cell");
      Object.assign(box.dataset, { q, k });
      box.setAttribute("role", "gridcell");
      box.setAttribute("aria-label", filled(words.cell, { query: query.text, key: key.text }));
      box.toggleAttribute("data-diagonal", q === k);
      box.tabIndex = q || k ? -1 : 0;
      mount.boxes.push(box);
      return box;
    }));
    return line;
  });
  cells.replaceChildren(top, ...rows);
}

function paint(mount) {
  const { n, header } = mount, { words, tokens } = header, { mask } = mount.link.view, now = cellsOf(mask, n);
  mount.now = now;
  mount.boxes.forEach((box, at) => {
    box.toggleAttribute("data-on", now[at] === 1);
    box.setAttribute("aria-selected", now[at] === 1);
  });
  const padded = isPadding(mask) ? mask.split(":")[1] : "";
  mount.tops.forEach((button, k) => button.toggleAttribute("data-hidden", padded[k] === "0"));
  const nothing = tokens.flatMap((token, q) => (now.subarray(q * n, (q + 1) * n).some((cell) => cell) ? [] : [q]));
  mount.sides.forEach((button, q) => button.toggleAttribute("data-nothing", nothing.includes(q)));
  const said = mount.root.querySelector(".gf-nothing");
  if (!nothing.length) said.textContent = "";
  else if (nothing.length === 1) write(said, words.nothing_one, { query: named(tokens[nothing[0]], nothing[0]) });
  else said.textContent = filled(words.nothing_many, { n: nothing.length });
  const shown = now.reduce((sum, cell) => sum + cell, 0);
  mount.cells.setAttribute("aria-label", filled(words.grid_label, { n, shown, all: n * n }));
  describe(mount);
}

function describe(mount) {
  const { hover, header, readout, n } = mount, { words, tokens } = header;
  if (!hover || hover.q >= n || hover.k >= n) {
    readout.textContent = filled(words.allowed, { shown: mount.now.reduce((sum, cell) => sum + cell, 0), all: n * n });
    return;
  }
  const template = mount.now[hover.q * n + hover.k] ? words.may : words.may_not;
  write(readout, template, { query: named(tokens[hover.q], hover.q), key: named(tokens[hover.k], hover.k) });
}

export default function (component) {
  const mount = mounted(component, build);
  const got = received(mount.link, component);
  if (!got) return undefined;
  mount.header = mount.link.payload.header;
  look(mount.root);
  if (got.fresh) fill(mount);
  paint(mount);
  mount.root.__glassformer = mount;
  return ending(mount, () => {
    window.removeEventListener("pointerup", mount.lift);
    window.removeEventListener("pointercancel", mount.lift);
  });
}
