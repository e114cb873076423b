// A target grows under its source: what the step at hand reads of the source, and what the model could write there.

const SVG = "http://www.w3.org/2000/svg", MOST_LINES = 40;

function build(mount) {
  const $ = (name) => mount.root.querySelector(name);
  mount.layer = slider({ label: "", min: 0, max: 0, onInput: (layer) => choose(mount, { layer }) });
  mount.head = slider({ label: "", min: 0, max: 0, onInput: (head) => choose(mount, { head }) });
  mount.step = slider({ label: "", min: 0, max: 0, onInput: (step) => choose(mount, { step }) });
  $(".gf-crossing-head").append(mount.layer.element, mount.head.element);
  $(".gf-step").append(mount.step.element);
  Object.assign(mount, { source: $(".gf-crossing-source"), target: $(".gf-crossing-target"), lines: $(".gf-crossing-lines"), hover: null });
  $(".gf-back").addEventListener("click", () => go(mount, mount.link.view.step - 1));
  $(".gf-on").addEventListener("click", () => go(mount, mount.link.view.step + 1));
  mount.target.addEventListener("click", (event) => {
    const piece = event.target.closest(".gf-to");
    if (piece) go(mount, Math.max(0, Number(piece.dataset.at) - 1));
  });
  const over = (event) => {
    const piece = event && event.target.closest(".gf-from"), at = piece ? Number(piece.dataset.at) : null;
    if (at !== mount.hover) { mount.hover = at; describe(mount); }
  };
  mount.source.addEventListener("pointerover", over);
  mount.source.addEventListener("pointerleave", () => over(null));
  mount.observer = new ResizeObserver(() => { if (mount.header) paintLines(mount); });
  mount.observer.observe($(".gf-crossing-picture"));
  mount.source.addEventListener("scroll", () => paintLines(mount));
  mount.target.addEventListener("scroll", () => paintLines(mount));
}

function go(mount, step) {
  choose(mount, { step: Math.min(mount.header.steps.length - 1, Math.max(0, step)) });
}

function choose(mount, change) {
  const view = { ...mount.link.view, ...change };
  if (same(view, mount.link.view)) return;
  moved(mount.link, view);
  paint(mount);
}

// leading ␣ and the like stay visible but quiet
function letter(element, text) {
  const parts = text.match(/[␣↵⇥]|[^␣↵⇥]+/g) || [text];
  element.append(...parts.map((part) => (/^[␣↵⇥]$/.test(part) ? make("span", "gf-quiet", part) : part)));
  element.dir = "auto";
}

function fromPiece(token, at) {
  const piece = make("bdi", "gf-from");
  letter(piece, token.text);
  piece.dataset.at = at;
  if (token.special || token.added) piece.dataset.special = "";
  return piece;
}

// chip 0 starts the target; chip i + 1 is what step i writes
function toPiece(token, at, step, words) {
  const piece = make("button", "gf-to"), text = make("bdi", "gf-to-text");
  piece.type = "button";
  piece.dataset.at = at;
  letter(text, token.text);
  piece.append(text);
  if (token.special || token.added) piece.dataset.special = "";
  if (!step) return piece;
  piece.append(make("span", "gf-to-share", percent(step.share)));
  if (step.best !== step.token) {
    const instead = make("bdi", "gf-to-instead", `≠ ${step.names[0]}`);
    instead.title = filled(words.instead, { token: step.names[0], share: percent(step.top[0]) });
    piece.append(instead);
  }
  return piece;
}

function fill(mount) {
  const { header, arrays } = mount, { words, sources, targets } = header, $ = (name) => mount.root.querySelector(name);
  mount.layer.name(words.layer);
  mount.head.name(words.head);
  mount.step.name(words.step);
  mount.layer.range(0, header.n_layers - 1);
  mount.head.range(0, header.n_heads - 1);
  mount.step.range(0, targets.length - 1);
  $(".gf-back").textContent = words.previous;
  $(".gf-on").textContent = words.next;
  $(".gf-source-title").replaceChildren(words.source, make("span", "", words.source_note));
  $(".gf-target-title").replaceChildren(words.target, make("span", "", words.target_note));
  $(".gf-chart-title").textContent = words.bars;
  const width = arrays.top.shape[1];
  mount.steps = header.steps.map((step, at) => ({
    ...step, share: arrays.shares.data[at], rest: arrays.rest.data[at], top: Array.from(floats(arrays.top, at * width, step.names.length)),
  }));
  mount.chips = [...targets, header.after];
  mount.froms = sources.map(fromPiece);
  mount.tos = mount.chips.map((token, at) => toPiece(token, at, at ? mount.steps[at - 1] : null, words));
  mount.source.replaceChildren(...mount.froms);
  mount.target.replaceChildren(...mount.tos);
  mount.root.toggleAttribute("data-long", sources.length > MOST_LINES);
  if (!mount.rows) {
    mount.rows = rowTable($(".gf-row-table"), words);
    mount.all = rowTable($(".gf-step-table"), { table_of_row: words.table_of_steps });
  }
  mount.hover = null;
}

function rowOf(mount) {
  const { header } = mount, [layers, heads, queries, keys] = mount.arrays.maps.shape, { layer, head, step } = mount.link.view;
  const at = layer - header.first_layer;
  return at < 0 || at >= layers ? null : floats(mount.arrays.maps, ((at * heads + head) * queries + step) * keys, keys);
}

function paint(mount) {
  const { view } = mount.link, weights = rowOf(mount);
  mount.layer.set(view.layer);
  mount.head.set(view.head);
  mount.step.set(view.step);
  mount.root.querySelector(".gf-back").disabled = view.step === 0;
  mount.root.querySelector(".gf-on").disabled = view.step === mount.steps.length - 1;
  mount.froms.forEach((piece, at) => {
    const weight = weights ? Math.min(1, Math.max(0, weights[at])) : 0, entry = mount.look.weights[Math.round(204 * weight)];
    piece.style.backgroundColor = weight > 0.004 ? css(entry) : "";
    piece.style.color = weight > 0.004 ? inkOn(entry) : "";
  });
  mount.tos.forEach((piece, at) => {
    piece.toggleAttribute("data-reader", at === view.step);
    piece.toggleAttribute("data-current", at === view.step + 1);
    piece.toggleAttribute("data-later", at > view.step + 1);
    if (at === view.step + 1) piece.setAttribute("aria-current", "step"); else piece.removeAttribute("aria-current");
  });
  show(mount.target, mount.tos[view.step + 1]);
  paintBars(mount);
  describe(mount);
  paintLines(mount);
}

function show(box, piece) {
  const top = piece.offsetTop;
  if (top < box.scrollTop || top + piece.offsetHeight > box.scrollTop + box.clientHeight) box.scrollTop = top - box.clientHeight / 2;
}

function paintLines(mount) {
  const weights = rowOf(mount), { step } = mount.link.view, box = mount.lines.getBoundingClientRect();
  mount.lines.replaceChildren();
  if (!weights || weights.length > MOST_LINES || !box.width) return;
  const floor = mount.source.getBoundingClientRect().bottom; // of what is scrolled out of sight no line starts
  const to = mount.tos[step + 1].firstChild.getBoundingClientRect(), x = to.left + to.width / 2 - box.left, y = to.top - box.top;
  weights.forEach((weight, at) => {
    const from = mount.froms[at].getBoundingClientRect();
    if (!(weight > 0.02) || from.top > floor - 4) return;
    const a = from.left + from.width / 2 - box.left, b = Math.min(from.bottom, floor) - box.top, half = (b + y) / 2;
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", `M${a} ${b}C${a} ${half} ${x} ${half} ${x} ${y}`);
    path.style.strokeWidth = (1 + 8 * weight).toFixed(2);
    path.style.strokeOpacity = (0.15 + 0.75 * weight).toFixed(3);
    mount.lines.append(path);
  });
}

function paintBars(mount) {
  const { words } = mount.header, { step: at } = mount.link.view, step = mount.steps[at], $ = (name) => mount.root.querySelector(name);
  const chosen = mount.chips[at + 1].text, given = at < mount.header.targets.length - 1;
  const rows = step.names.map((name, r) => ({ name, values: [step.top[r]], marked: given && step.ids[r] === step.token, note: given && step.ids[r] === step.token ? words.written : "" }));
  if (given && !step.ids.includes(step.token)) rows.push({ name: chosen, values: [step.share], marked: true, note: words.written });
  const more = step.more - (given && !step.ids.includes(step.token) ? 1 : 0), rest = more < step.more ? Math.max(0, step.rest - step.share) : step.rest;
  if (more > 0) rows.push({ name: filled(words.rest, { n: more.toLocaleString() }), values: [rest], rest: true });
  const limit = drawShares($(".gf-shares"), rows);
  $(".gf-chart-scale").textContent = filled(words.scale, { limit: `${Number((100 * limit).toPrecision(2))} %` });
  const values = { token: { token: chosen }, share: percent(step.share), best: { token: step.names[0] }, best_share: percent(step.top[0]) };
  const template = !given ? words.said_next : step.best === step.token ? words.said_best : words.said_other;
  write($(".gf-chart-said"), template, values);
  $(".gf-shares").setAttribute("aria-label", filled(words.bars_label, { best: step.names[0], share: percent(step.top[0]) }));
}

function describe(mount) {
  const { header, hover } = mount, { words, sources, targets } = header, { layer, head, step } = mount.link.view, weights = rowOf(mount);
  const readout = mount.root.querySelector(".gf-readout"), said = mount.chips[step + 1];
  if (!weights) {
    readout.textContent = words.waiting;
    return;
  }
  let best = 0;
  for (let k = 1; k < weights.length; k += 1) if (weights[k] > weights[best]) best = k;
  const k = hover === null ? best : hover, values = { reader: targets[step].text, token: said.text, key: sources[k].text, value: weights[k].toFixed(2), layer, head, step };
  const token = (text) => ({ token: shortened(text, 24) });
  const template = hover === null ? words.reads_mostly : words.reads_this;
  write(readout, template, { ...values, reader: token(values.reader), token: token(values.token), key: token(values.key) });
  const label = filled(words.picture_label, { ...values, key: sources[best].text, value: weights[best].toFixed(2) });
  mount.source.setAttribute("aria-label", label);
  mount.rows.update(() => ({
    caption: label,
    heads: [words.key_column, words.token_column, words.weight_column],
    lines: Array.from(weights, (weight, at) => [String(at), sources[at].text, weightText(weight)]),
  }));
  mount.all.update(() => ({
    caption: words.steps_caption,
    heads: [words.step, words.token_column, words.share_column, words.best_column, words.share_column],
    lines: mount.steps.map((each, at) => [String(at), mount.chips[at + 1].text, percent(each.share), each.names[0], percent(each.top[0])]),
  }));
}

export default function (component) {
  const mount = mounted(component, build);
  const got = received(mount.link, component);
  if (!got) return undefined;
  Object.assign(mount, { header: mount.link.payload.header, arrays: mount.link.payload.arrays, look: look(mount.root) });
  if (got.fresh) fill(mount);
  paint(mount);
  mount.root.__glassformer = mount;
  return ending(mount, () => mount.observer.disconnect());
}
